package ipc

// A Reason says why a session ended although its client did not ask for it.
type Reason string

// The reasons that the daemon gives with LOST.
const (
	ReasonLeaseRevoked Reason = "lease-revoked" // somebody revoked the lease in etcd
	ReasonLeaseExpired Reason = "lease-expired" // etcd ended the lease by itself
	ReasonEntryDeleted Reason = "entry-deleted" // somebody deleted or overwrote the entry
	ReasonDeadline     Reason = "deadline"      // etcd did not answer in time
	ReasonBroken       Reason = "broken"        // an operator broke the lock
	ReasonMaxHold      Reason = "max-hold"      // held longer than the client allowed
	ReasonBeatMissed   Reason = "beat-missed"   // the client wrote nothing in time
	ReasonPeerExited   Reason = "peer-exited"   // the process that connected has exited
	ReasonShutdown     Reason = "shutdown"      // the daemon stops
	ReasonLimit        Reason = "limit"         // more was sent behind a waiting LOCK than allowed
	ReasonRegressed    Reason = "regressed"     // etcd's revisions have gone back
)

// The reasons that the client finds by itself.
const (
	ReasonEOF            Reason = "eof"             // end-of-file without a line
	ReasonGarbled        Reason = "garbled"         // the daemon wrote what is no line of the protocol
	ReasonClientDeadline Reason = "client-deadline" // the daemon confirmed nothing in time
	ReasonNotHeld        Reason = "not-held"        // the daemon does not know of the lock
)

// Reasons lists what the daemon may write after "! LOST reason=".
func Reasons() []Reason {
	return []Reason{
		ReasonLeaseRevoked, ReasonLeaseExpired, ReasonEntryDeleted, ReasonDeadline,
		ReasonBroken, ReasonMaxHold, ReasonBeatMissed, ReasonPeerExited,
		ReasonShutdown, ReasonLimit, ReasonRegressed,
	}
}

// ClientReasons lists the reasons that never cross the socket.
func ClientReasons() []Reason {
	return []Reason{ReasonEOF, ReasonGarbled, ReasonClientDeadline, ReasonNotHeld}
}

package safety

// The scenarios' names.
const (
	Pause     = "pause"
	Clock     = "clock"
	Failover  = "failover"
	Partition = "partition"
	LostDisk  = "lost-writes"
	Reset     = "reset"
)

// Scenarios are all of them, in the order in which they are shown.
func Scenarios() []Scenario {
	return []Scenario{
		{Pause, "Holder paused past its TTL", "A is stopped with SIGSTOP once it has read, and goes on when B has written."},
		{Partition, "Partition", "All that A, or its host's daemon, sends to the lock service stands still, and so do the answers. The resource can be reached."},
		{Clock, "Clock of one server stepped", "The wall clock of one server jumps ahead by an hour."},
		{Failover, "Primary lost before it replicated", "The server that A's grant came from is killed right after it, and another one takes its place."},
		{LostDisk, "Server restarted without its last writes", "One server is killed, and started again on the files that it had before A's grant, as a disk leaves them that did not sync."},
		{Reset, "Fence counter reset", "While A is paused, what the fences are counted by starts anew."},
	}
}

package daemon

import (
	"time"

	"lockside/ipc"
	"lockside/leases"
)

// An event is what the locks' side told a session. At most two are under way
// at once, an answer and a loss, so the channel always has room.
type event struct {
	kind  eventKind
	grant leases.Grant
	err   error
	held  time.Duration
}

type eventKind uint8

const (
	granted eventKind = iota
	refused
	released
	lost
)

var _ leases.Subscriber = (*session)(nil)

// Granted is called with the locks' mutex held, as the other three are.
func (n *session) Granted(g leases.Grant) { n.events <- event{kind: granted, grant: g} }

// Refused passes an error on.
func (n *session) Refused(err error) { n.events <- event{kind: refused, err: err} }

// Released passes the end of an UNLOCK on.
func (n *session) Released(held time.Duration) { n.events <- event{kind: released, held: held} }

// Lost cuts the connection before it returns (P3, P4).
func (n *session) Lost(reason leases.Reason) {
	n.conn.cut(ipc.AppendLost(nil, ipc.Reason(reason)))
	n.events <- event{kind: lost}
	n.server.log.Warn("Session lost", "session", n.locks.ID(), "reason", reason,
		"pid", n.peer.PID, "user", n.peer.User, "comm", n.peer.Comm)
}

// answer writes the reply that an event brings, and lets the session go on.
func (n *session) answer(e event) {
	waited := n.waits
	switch {
	case e.kind == lost:
		n.over = true
		return
	case e.kind == granted:
		n.reply(ipc.AppendGrant(n.out, &ipc.Grant{
			Fence: e.grant.Fence, Lease: e.grant.Lease, TTL: e.grant.TTL, Names: n.names, Keys: e.grant.Keys,
		}))
	case e.kind == refused:
		err := n.explain(e.err)
		n.cancelled = ipc.ErrCancelled.Is(err)
		n.refuse(err)
	case waited == forQuit:
		n.reply(ipc.AppendEnd(ipc.AppendOK(n.out)))
	default:
		n.reply(ipc.AppendEnd(ipc.AppendDuration(ipc.AppendOK(n.out), "held", e.held)))
	}
	n.names = nil
	n.waiting(nothing)
	n.over = n.over || waited == forQuit
}

package daemon

import (
	"time"

	"lockside/ipc"
	"lockside/leases"
)

// An event is what the locks' side told a session.
//
// The channel always has room: a session asks for nothing before it has taken
// the answer to what it asked for last, each question has one answer, and a
// loss comes once, so at most an answer and a loss lie there.
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

// Lost cuts the connection before it returns (P3, P4). It does not log: others
// wait to be cut, and what reads the log may be slow.
func (n *session) Lost(reason leases.Reason) {
	n.conn.cut(ipc.AppendLost(nil, ipc.Reason(reason)))
	n.lost = reason
	n.events <- event{kind: lost}
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
			Fence: e.grant.Fence, Cluster: e.grant.Cluster, Lease: e.grant.Lease, TTL: e.grant.TTL, Until: e.grant.Until,
			Names: n.names, Keys: e.grant.Keys,
		}))
	case e.kind == refused:
		err := n.explain(e.err)
		if ipc.ErrCancelled.Is(err) {
			n.cancelled++
		}
		n.refuse(err)
	case waited == forQuit:
		n.ok()
	default:
		n.reply(ipc.AppendEnd(ipc.AppendDuration(ipc.AppendOK(n.out), "held", e.held)))
	}
	n.names = nil
	n.waiting(nothing)
	n.over = n.over || waited == forQuit
}

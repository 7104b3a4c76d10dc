package core

import (
	"slices"
	"time"
)

// A client that reads end-of-file at its deadline has the margin to stop in. So
// what it held lingers until the margin is over: it counts in this host's queues,
// and etcd is not told before (I4). A deletion or revocation that got through at
// once would let the next holder in while this one stops.

// linger has all that a session holds, on whatever lease, count until a moment.
func (m *Machine) linger(s *session, until time.Duration) {
	if until <= m.now {
		return
	}
	for _, e := range s.held {
		e.lingers = until
	}
}

// yield gives back what has lingered on a lease, and the lease if it is dead.
func (m *Machine) yield(l *lease) {
	l.yieldAt = 0
	for _, e := range slices.Clone(l.entries) {
		switch {
		case e.lingers > m.now:
			l.yieldAt = earliest(l.yieldAt, e.lingers)
		case e.lingers > 0:
			e.lingers = 0
			m.drop(e)
			m.touch(e.queue)
		}
	}
	if l.state == dead && l.yieldAt == 0 {
		m.emit(RevokeLease{l.id})
	}
	m.arm(l)
}

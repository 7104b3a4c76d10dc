package core

import (
	"slices"
	"time"
)

// A leaseState tells how far a lease has come. It only moves on: nothing
// revives a dead lease (I4).
type leaseState uint8

const (
	granting leaseState = iota // the grant is under way
	fencing                    // granted; its first epoch is being written
	ready                      // entries can be put on it
	dead                       // its sessions have ended; it is revoked, once nothing lingers on it
)

// A lease is one etcd lease with its deadline, its epoch and its outbox.
type lease struct {
	alarm
	id      int64
	class   *class
	state   leaseState
	entries []*entry

	ttl      time.Duration // as granted
	deadline time.Duration // of the last answered renewal: when it was sent, plus the TTL
	attempt  int
	asked    time.Duration // when the attempt that is under way began; zero for none

	epoch int64 // mod revision of the epoch key, the guard of each batch
	stale bool  // the epoch is being replaced

	outbox      []*op
	haste       haste // of the outbox
	inFlight    int   // batches
	opsInFlight int
	loaded      bool
	failures    int

	probing bool

	// The moments at which something is to be done; zero for none.
	grantAt, renewAt, fenceAt, resumeAt, judgeAt, listAt, idleAt, yieldAt time.Duration
}

// Pauses between tries of what failed at once.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
	judgeAfter = 50 * time.Millisecond // how long a loss waits for its reason
)

// pause doubles with each failure in a row.
func (l *lease) pause() time.Duration {
	l.failures++
	return min(firstPause<<min(l.failures-1, 6), lastPause)
}

// hold sends nothing for a while. Batches that were under way together and fail
// together count as one failure.
func (l *lease) hold(m *Machine) {
	if l.resumeAt == 0 {
		l.resumeAt = m.now + l.pause()
		m.arm(l)
	}
}

// until is the moment at which a lease ends its sessions unless it is renewed.
func (m *Machine) until(l *lease) time.Duration { return l.deadline - m.cfg.Margin(l.ttl) }

// left is the time until then.
func (m *Machine) left(l *lease) time.Duration { return m.until(l) - m.now }

// arm sets a lease's alarm to the next thing to be done. A dead lease has only
// what lingers on it.
func (m *Machine) arm(l *lease) {
	next := l.yieldAt
	if l.state != dead {
		for _, at := range []time.Duration{l.grantAt, l.renewAt, l.fenceAt, l.resumeAt, l.judgeAt, l.listAt, l.idleAt} {
			next = earliest(next, at)
		}
		if l.deadline > 0 {
			next = earliest(next, m.now+max(m.left(l), 1))
		}
	}
	m.alarms.set(&l.alarm, next)
}

// ring does what is due, the deadline first.
func (l *lease) ring(m *Machine) {
	if l.state != dead && l.deadline > 0 && m.left(l) <= 0 {
		m.die(l, DeadlineOver)
		return
	}
	due := func(at *time.Duration) bool {
		if *at == 0 || *at > m.now {
			return false
		}
		*at = 0
		return true
	}
	if due(&l.yieldAt) {
		m.yield(l)
	}
	if l.state == dead {
		return
	}
	if due(&l.grantAt) {
		m.emit(GrantLease{l.id, l.class.ttl})
	}
	if due(&l.renewAt) {
		l.asked = m.now
		m.emit(RenewLease{l.id, l.ttl, l.attempt})
	}
	if due(&l.fenceAt) {
		m.emit(FenceLease{l.id})
	}
	if due(&l.resumeAt) {
		m.load(l)
	}
	if due(&l.judgeAt) {
		m.judge(l)
	}
	if due(&l.listAt) {
		m.emit(ListLease{l.id})
		l.listAt = m.now + m.cfg.ReconcileEvery
	}
	if due(&l.idleAt) {
		m.die(l, LeaseExpired) // without entries, so nobody loses anything
		return
	}
	m.arm(l)
}

func (ev LeaseEnded) apply(m *Machine) {
	l := m.leases[ev.Lease]
	switch {
	case l == nil:
	case l.state == dead && l.yieldAt > 0:
		m.emit(RevokeLease{l.id}) // as somebody else did
		l.yieldAt = 0
		m.arm(l)
	case l.state == dead:
		m.buryLease(l)
	case m.now < l.deadline || l.deadline == 0:
		m.die(l, LeaseRevoked)
	default:
		m.die(l, LeaseExpired)
	}
}

// die ends the sessions of a lease and has it revoked, at the deadline if that is
// what ended them. Requests that were never sent move to another lease; nothing
// else survives.
func (m *Machine) die(l *lease, reason Reason) {
	if l.state == dead {
		return
	}
	l.state = dead
	l.class.remove(l)
	var unsent []*request
	for _, o := range l.outbox {
		if r := o.request; r != nil {
			unsent = append(unsent, r)
		}
	}
	l.outbox = nil
	for _, e := range slices.Clone(l.entries) {
		if s := e.session; s != nil && e.state != queued {
			if reason == DeadlineOver {
				m.linger(s, l.deadline)
			}
			m.lose(s, reason)
		}
	}
	for _, r := range unsent {
		if !r.done {
			m.displace(r)
			m.place(r)
		}
	}
	m.yield(l)
	m.grantFor(l.class)
}

// buryLease forgets a dead lease that etcd no longer has, and its entries.
func (m *Machine) buryLease(l *lease) {
	delete(m.leases, l.id)
	for _, e := range slices.Clone(l.entries) {
		m.gone(e, m.revision)
	}
}

package core

import (
	"fmt"
	"slices"
	"time"
)

// A request is a Lock on its way to be granted. It goes through at most three
// places: the lines of crowded queues, one after the other, the waiting room of
// its TTL's class while a lease is granted, and the entries in etcd.
type request struct {
	alarm
	session *session
	names   []string
	ttl     time.Duration
	value   []byte
	try     bool

	line    *queue        // in whose line it stands
	at      int           // which of its names that is
	class   *class        // in whose waiting room it sits
	entries []*entry      // one a name, all on one lease, once placed
	op      *op           // that enqueues them
	sent    time.Duration // when the op was last sent
	done    bool
}

// admit takes a new request in, or answers it at once.
func (m *Machine) admit(r *request) {
	for _, name := range r.names {
		q := m.queue(name)
		if r.try && q.occupied() {
			m.refuse(r, ErrBusy)
			return
		}
		if most := m.cfg.WaitersPerName; q.waiting() >= most {
			m.refuse(r, fmt.Errorf("%w: %q has %d waiters on this host", ErrLimit, name, most))
			return
		}
	}
	m.lineUp(r, 0)
}

// lineUp has a request stand in the line of the first crowded queue among its
// names from one on, and places it if there is none. In a line it has no entry
// in any queue, so nobody waits for it. What it has passed may be crowded again
// when it is placed, so the window is a rule of thumb for several names.
func (m *Machine) lineUp(r *request, from int) {
	for i := from; i < len(r.names); i++ {
		if q := m.queue(r.names[i]); len(q.line) > 0 || m.crowded(q) {
			r.line, r.at = q, i
			q.line = append(q.line, r)
			return
		}
	}
	m.place(r)
}

// place gives a request its entries on a lease, or a seat in the waiting room
// until there is one.
func (m *Machine) place(r *request) {
	c := m.class(r.ttl)
	l := c.room(len(r.names), m.cfg.EntriesPerLease)
	if l == nil {
		m.sit(r, c)
		m.grantFor(c)
		return
	}
	hopeful := m.wary == 0
	m.wary = max(m.wary-1, 0)
	r.op = &op{request: r, empty: r.try || hopeful, alone: r.try && !hopeful}
	for _, name := range r.names {
		q := m.queue(name)
		r.op.empty = r.op.empty && len(q.entries) == 0 && (r.try || q.quiet())
		r.entries = append(r.entries, m.newEntry(r, q, l))
	}
	m.push(l, r.op)
}

// displace takes the entries, none of which was sent, away again.
func (m *Machine) displace(r *request) {
	for _, e := range r.entries {
		m.gone(e, 0)
	}
	r.entries, r.op = nil, nil
}

// granted answers a request: its turn has come.
func (m *Machine) grant(r *request) {
	m.finish(r)
	first := r.entries[0]
	g := Granted{Session: r.session.id, Fence: first.rev, Lease: first.lease.id, TTL: first.lease.ttl, Until: m.until(first.lease)}
	for _, e := range r.entries {
		e.request, e.granted = nil, m.now
		r.session.held = append(r.session.held, e)
		g.Keys = append(g.Keys, e.key)
	}
	m.counts.Grants++
	m.emit(g)
}

// refuse answers a request with an error and takes it back.
func (m *Machine) refuse(r *request, err error) {
	m.emit(Refused{r.session.id, err})
	m.withdraw(r)
}

// withdraw takes a request back from wherever it is.
func (m *Machine) withdraw(r *request) {
	m.finish(r)
	if r.line != nil {
		r.line.line = slices.DeleteFunc(r.line.line, func(o *request) bool { return o == r })
		m.touch(r.line)
	}
	if r.class != nil {
		r.class.waiting = slices.DeleteFunc(r.class.waiting, func(o *request) bool { return o == r })
		m.rise(r)
	}
	r.takeBack()
	for _, e := range r.entries {
		m.giveUp(e)
	}
}

// finish ends the wait of a request, whatever comes of it.
func (m *Machine) finish(r *request) {
	r.done = true
	r.session.request = nil
	m.alarms.set(&r.alarm, 0)
}

// settled reports whether each of a request's entries is where it will wait.
func (r *request) settled() bool {
	return len(r.entries) > 0 && !slices.ContainsFunc(r.entries, func(e *entry) bool { return e.state != live })
}

// turn reports whether nothing is before any of a request's entries (I3).
func (r *request) turn() bool {
	return len(r.entries) > 0 && !slices.ContainsFunc(r.entries, func(e *entry) bool { return !e.first() })
}

// ring ends a wait that took too long. The client is told what it waited for:
// the lock, or etcd.
func (r *request) ring(m *Machine) {
	if r.waitsForEtcd(m.now) {
		m.refuse(r, ErrUnavailable)
	} else {
		m.refuse(r, ErrTimeout)
	}
}

// silence is how long a Txn may be unanswered before we blame etcd for it.
const silence = 250 * time.Millisecond

func (r *request) waitsForEtcd(now time.Duration) bool {
	switch {
	case r.line != nil:
		return r.try // for deletions to be done; it found nobody who waits
	case len(r.entries) == 0:
		return true
	case r.entries[0].state == queued:
		return true
	case r.entries[0].state == sent:
		return r.try || now-r.sent > silence
	}
	return false
}

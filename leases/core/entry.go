package core

import (
	"slices"
	"time"
)

// An entryState tells how far an entry has come. It only moves on, but for
// sent, which falls back to queued when its batch was certainly not done.
type entryState uint8

const (
	queued  entryState = iota // its enqueue lies in the outbox
	sent                      // its enqueue is under way, or of unknown outcome
	live                      // it is in etcd, created at rev
	leaving                   // its deletion is in the outbox or under way
	gone                      // it is not in etcd and will not be
)

// An entry is one place in a queue: a holder's, a waiter's, or one that is
// given up and on its way out.
type entry struct {
	queue *queue
	lease *lease
	slot  int
	key   string
	state entryState
	rev   int64 // create revision, the fence; zero while unknown

	value   []byte
	request *request      // that waits, until granted or given up
	session *session      // that has it, until given up
	release *release      // that waits for its end
	granted time.Duration // since when it is held
	alive   time.Duration // since when it is live

	given   bool          // its session released it or was shut down
	lingers time.Duration // until when it counts though it is given up; zero if it does not
	doubt   bool          // the outcome of its enqueue is unknown
	guard   int64         // the epoch of its enqueue's batch
	floor   int64         // the highest revision seen before that batch
	missing bool          // etcd shows it deleted or overwritten; the lease is probed
	erased  int64         // the revision by which it was deleted by another, if so
}

func (e *entry) name() string { return e.queue.name }

// newEntry makes an entry for a request, with a key that no other live or
// possible entry has.
func (m *Machine) newEntry(r *request, q *queue, l *lease) *entry {
	e := &entry{queue: q, lease: l, value: r.value, request: r, session: r.session}
	q.add(e)
	l.entries = append(l.entries, e)
	l.idleAt = 0
	return e
}

// first reports whether nothing but given-up entries of this host is before
// an entry (I2, I3), and the entry can be held: its lease is ready, so its
// deadline less margin is ahead (P1).
func (e *entry) first() bool {
	return e.state == live && !e.given && !e.missing && e.lease.state == ready && !e.queue.blocks(e)
}

// counts reports whether an entry keeps those behind it waiting.
func (e *entry) counts() bool { return !e.given || e.lingers > 0 }

// giveUp is the moment from which an entry no longer counts for this host, unless
// it lingers.
func (m *Machine) giveUp(e *entry) {
	if e.given || e.state == gone {
		return
	}
	e.given, e.session, e.request = true, nil, nil
	switch {
	case e.state == queued, e.erased > 0:
		m.gone(e, e.erased)
	case e.lingers > 0:
		e.lease.yieldAt = earliest(e.lease.yieldAt, e.lingers)
		m.arm(e.lease)
	case e.state == live:
		m.drop(e)
	}
	m.touch(e.queue)
}

// drop deletes a given-up entry. On a dead lease the revoke does it.
func (m *Machine) drop(e *entry) {
	e.state = leaving
	m.push(e.lease, &op{entry: e})
}

// gone forgets an entry that is certainly not in etcd as of a revision, zero
// if it never was. Only now its key can be used again (I1).
func (m *Machine) gone(e *entry, revision int64) {
	switch e.state {
	case gone:
		return
	case sent:
		e.queue.disown(e)
	case live, leaving:
		e.queue.bury(e.key, e.rev+1, revision)
	}
	e.state = gone
	e.queue.remove(e)
	e.lease.entries = slices.DeleteFunc(e.lease.entries, func(o *entry) bool { return o == e })
	m.touch(e.queue)
	m.refill(e.lease)
	if len(e.lease.entries) == 0 {
		m.rest(e.lease)
	}
	if rel := e.release; rel != nil {
		if rel.left--; rel.left == 0 && !rel.session.ended {
			m.emit(Released{rel.session.id, rel.held})
		}
	}
}

// vanish notes that etcd shows an entry deleted, by a revision, or overwritten
// (zero). Its session is lost once the lease was asked after, so that the
// reason is the true one.
func (m *Machine) vanish(e *entry, deleted int64) {
	if e.given || e.missing || e.state != live {
		return
	}
	e.missing, e.erased = true, deleted
	m.probe(e.lease)
}

package core

import (
	"slices"
	"time"

	"lockside/leases/keys"
)

// A queue is what this host knows of one name: its own entries, those of
// others that may be before one of them, and the line of its own requests
// that have no entry yet.
type queue struct {
	alarm
	name, prefix string
	entries      []*entry         // ours, in any state but gone
	foreign      map[string]int64 // others' keys and their create revisions
	tombs        map[string]tomb
	line         []*request
	seated       int // requests that wait for a lease
	touched      bool
	packed       uint64 // the batch that has an enqueue of this name last

	watch      uint64        // id; zero without one
	watching   bool          // the watch misses nothing
	synced     bool          // and all that was before it was read
	idleSince  time.Duration // when the last entry went; for the watch to linger
	watchAfter time.Duration // no watch is opened before
	pollAt     time.Duration
	read       queueRead
}

// queue finds or makes the queue of a name.
func (m *Machine) queue(name string) *queue {
	q := m.queues[name]
	if q == nil {
		q = &queue{name: name, prefix: keys.Queue(m.cfg.Prefix, name)}
		q.alarm.task = q
		m.queues[name] = q
		m.touch(q) // to be forgotten if nothing comes of it
	}
	return q
}

// add gives an entry the smallest free slot of its lease in this queue.
func (q *queue) add(e *entry) {
	for ; ; e.slot++ {
		e.key = keys.Entry(q.prefix, e.lease.id, e.slot)
		if _, taken := q.foreign[e.key]; !taken && q.own(e.key) == nil {
			break
		}
	}
	q.entries = append(q.entries, e)
}

// remove takes an entry out.
func (q *queue) remove(e *entry) {
	q.entries = slices.DeleteFunc(q.entries, func(o *entry) bool { return o == e })
}

// disown counts what a look showed under the key of an entry as another's, since
// no answer says that it is ours.
func (q *queue) disown(e *entry) {
	if e.rev != 0 && !q.buried(e.key, e.rev) {
		q.meet(Key{Key: e.key, Created: e.rev})
	}
	e.rev = 0
}

// unsend puts an entry back to what it was before its batch, which was certainly
// not done.
func (q *queue) unsend(e *entry) {
	q.disown(e)
	e.state = queued
}

// own finds our entry of a key.
func (q *queue) own(key string) *entry {
	for _, e := range q.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

// blocks reports whether something before an entry still counts: another
// host's entry, or one of ours that is not given up, or lingers. One that a look
// showed under our key before our own answer came is not known to be ours.
func (q *queue) blocks(e *entry) bool {
	for _, o := range q.entries {
		if (o.counts() || o.state == sent) && o.rev != 0 && o.rev < e.rev {
			return true
		}
	}
	return q.behindForeign(e)
}

// behindForeign reports whether another host's entry is before this one.
func (q *queue) behindForeign(e *entry) bool {
	for _, created := range q.foreign {
		if created < e.rev {
			return true
		}
	}
	return false
}

// quiet reports whether nobody else has used the name lately, as far as we know: a
// watch outlives what it was opened for.
func (q *queue) quiet() bool { return q.watch == 0 && len(q.foreign) == 0 }

// occupied reports whether one of ours holds the name, lingers on it or waits for it.
func (q *queue) occupied() bool {
	return len(q.line) > 0 || slices.ContainsFunc(q.entries, func(e *entry) bool { return e.counts() })
}

// crowded reports whether further requests have to stand in line.
func (m *Machine) crowded(q *queue) bool { return len(q.entries)+q.seated >= m.cfg.Window }

// waiting counts our requests for the name.
func (q *queue) waiting() int {
	n := len(q.line) + q.seated
	for _, e := range q.entries {
		if e.request != nil {
			n++
		}
	}
	return n
}

// settleQueue lets requests move up, grants what has its turn, and decides
// whether to watch, to read, or to forget the queue.
func (m *Machine) settleQueue(q *queue) {
	for len(q.line) > 0 && !m.crowded(q) {
		r := q.line[0]
		q.line = q.line[1:]
		r.line = nil
		m.lineUp(r, r.at+1)
	}
	for _, e := range slices.Clone(q.entries) {
		if r := e.request; r != nil && r.turn() {
			m.grant(r)
		} else if r != nil && r.try && r.settled() {
			m.refuse(r, ErrBusy)
		}
	}
	q.clearTombs()
	m.watchQueue(q)
	if q.forgettable() {
		m.alarms.set(&q.alarm, 0)
		delete(m.queues, q.name)
	}
}

func (q *queue) forgettable() bool {
	return len(q.entries) == 0 && len(q.line) == 0 && q.seated == 0 && q.watch == 0 && !q.read.wanted && !q.read.under
}

package core

import (
	"slices"
	"time"
)

// readsInFlight and queuesPerRead bound the reads: one answers for many queues.
const (
	readsInFlight = 2
	queuesPerRead = 64
	readPause     = 250 * time.Millisecond // after a read without answer
)

// reads is the queues that are to be read, and the reads under way.
type reads struct {
	alarm
	wanted []*queue
	under  map[uint64][]*queue
	last   uint64
	paused bool
}

// queueRead is a queue's part in it. A read that is wanted while one is under
// way follows it: the one under way may be older than the wish.
type queueRead struct {
	wanted, under bool
	floor         int64
}

func (m *Machine) wantRead(q *queue) {
	if !q.read.wanted {
		q.read.wanted = true
		m.reads.wanted = append(m.reads.wanted, q)
	}
}

// issueReads sends what is wanted, as far as it may.
func (m *Machine) issueReads() {
	r := &m.reads
	for len(r.wanted) > 0 && len(r.under) < readsInFlight && !r.paused {
		var names []string
		var now, later []*queue
		for _, q := range r.wanted {
			if q.read.under || len(now) == queuesPerRead {
				later = append(later, q)
				continue
			}
			q.read = queueRead{under: true, floor: m.revision}
			now, names = append(now, q), append(names, q.name)
		}
		r.wanted = later
		if len(now) == 0 {
			return
		}
		r.last++
		if r.under == nil {
			r.under = map[uint64][]*queue{}
		}
		r.under[r.last] = now
		m.emit(ReadQueues{r.last, names})
	}
}

func (ev QueuesRead) apply(m *Machine) {
	m.saw(ev.Revision)
	under := m.reads.under[ev.Read]
	delete(m.reads.under, ev.Read)
	for i, q := range under {
		q.read.under = false
		m.learn(q, ev.Queues[i].Keys, ev.Revision)
	}
}

func (ev ReadFailed) apply(m *Machine) {
	under := m.reads.under[ev.Read]
	delete(m.reads.under, ev.Read)
	for _, q := range under {
		q.read.under = false
		m.wantRead(q)
	}
	m.reads.paused = true
	m.alarms.set(&m.reads.alarm, m.now+readPause)
}

func (r *reads) ring(*Machine) { r.paused = false }

// look takes in what a Txn showed of a queue at its revision: all that was
// there, of which nothing may be newer evidence than what we have (I2).
func (m *Machine) look(q *queue, shown []Key, revision int64) {
	for _, k := range shown {
		if q.tombs[k.Key] > revision {
			continue // seen deleted after this was shown
		}
		e := q.own(k.Key)
		switch {
		case e == nil:
			q.meet(k)
		case e.rev == 0 && e.state == sent:
			e.rev = k.Created // its own answer is still to come
		case e.state == live && revision >= e.rev && k.Created != e.rev:
			m.vanish(e, k.Created)
			q.meet(k)
		case e.state == live && revision >= e.rev && k.Modified != e.rev:
			m.vanish(e, 0)
		}
	}
	m.touch(q)
}

// meet notes another host's entry.
func (q *queue) meet(k Key) {
	if q.foreign == nil {
		q.foreign = map[string]int64{}
	}
	q.foreign[k.Key] = max(q.foreign[k.Key], k.Created)
}

// learn takes in a read of a whole queue: what it does not show, and was
// created by its revision, is gone; what is in doubt is decided (I5).
func (m *Machine) learn(q *queue, shown []Key, revision int64) {
	there := make(map[string]Key, len(shown))
	for _, k := range shown {
		there[k.Key] = k
	}
	for key, created := range q.foreign {
		if there[key].Created == 0 && created <= revision {
			delete(q.foreign, key)
		}
	}
	m.look(q, shown, revision)
	for _, e := range slices.Clone(q.entries) {
		k := there[e.key]
		switch {
		case e.doubt && e.lease.state != dead && e.lease.epoch > e.guard:
			if revision >= e.lease.epoch {
				m.decide(e, k, revision)
			} else {
				m.wantRead(q) // the epoch is newer than when this was asked
			}
		case e.state == live && e.rev <= revision && k.Created == 0:
			m.vanish(e, revision)
		}
	}
	m.adopt(q, shown)
}

// adopt takes over entries on our own leases that we know nothing of, so that
// they are deleted (I7). There should be none.
func (m *Machine) adopt(q *queue, shown []Key) {
	for _, k := range shown {
		l, ok := m.ours(q, k)
		if !ok || q.foreign[k.Key] != k.Created {
			continue
		}
		delete(q.foreign, k.Key)
		m.counts.Orphans++
		e := &entry{queue: q, lease: l, key: k.Key, rev: k.Created, given: true}
		q.entries = append(q.entries, e)
		l.entries = append(l.entries, e)
		m.drop(e)
	}
	m.touch(q)
}

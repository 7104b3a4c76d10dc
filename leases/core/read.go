package core

import (
	"slices"
	"time"
)

// readsInFlight and mostPerRead bound the reads: one answers for many queues.
const (
	readsInFlight = 2
	mostPerRead   = 64
	readPause     = 250 * time.Millisecond // after a read without answer
)

// reads is the queues that are to be read, and the reads under way. A read
// without an answer makes the next ones smaller, so that neither a queue that
// etcd will not show nor a limit of etcd's keeps the others from being read.
type reads struct {
	alarm
	wanted []*queue
	most   int // queues in one read
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
			if q.read.under || len(now) == r.most {
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
	m.reads.most = min(m.reads.most+1, mostPerRead)
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
	m.reads.most = max(m.reads.most/2, 1)
	m.reads.paused = true
	m.alarms.set(&m.reads.alarm, m.now+readPause)
}

func (r *reads) ring(*Machine) { r.paused = false }

// look takes in what a Txn or a read showed of a queue at its revision: all that
// was there, of which nothing may be newer evidence than what we have (I2).
func (m *Machine) look(q *queue, shown []Key, revision int64) {
	q.sweep(shown, revision)
	for _, k := range shown {
		if q.tombs[k.Key] > revision {
			continue // seen deleted after this was shown
		}
		e := q.own(k.Key)
		switch {
		case e == nil, e.state == queued:
			q.meet(k)
		case e.rev == 0 && e.state == sent:
			e.rev = k.Created // its own answer is still to come
		case revision < e.rev:
		case k.Created != e.rev: // deleted, and put by somebody else
			m.vanish(e, k.Created)
			q.meet(k)
		case k.Modified != e.rev:
			m.vanish(e, 0)
		}
	}
	m.touch(q)
}

// sweep removes other hosts' entries that are not shown: they are gone, unless
// they are newer than the revision.
func (q *queue) sweep(shown []Key, revision int64) {
	if len(q.foreign) == 0 {
		return
	}
	there := index(shown)
	for key, created := range q.foreign {
		if there[key].Created == 0 && created <= revision {
			delete(q.foreign, key)
		}
	}
}

func index(shown []Key) map[string]Key {
	there := make(map[string]Key, len(shown))
	for _, k := range shown {
		there[k.Key] = k
	}
	return there
}

// meet notes another host's entry.
func (q *queue) meet(k Key) {
	if q.foreign == nil {
		q.foreign = map[string]int64{}
	}
	q.foreign[k.Key] = max(q.foreign[k.Key], k.Created)
}

// learn takes in a read of a queue: besides what a look tells, entries of ours
// that it does not show are gone, and what is in doubt is decided (I5).
func (m *Machine) learn(q *queue, shown []Key, revision int64) {
	m.look(q, shown, revision)
	there := index(shown)
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

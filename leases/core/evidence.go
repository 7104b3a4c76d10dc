package core

import (
	"slices"
	"strings"

	"lockside/leases/keys"
)

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

// ours reports whether a key is one that only this host writes: an entry on
// one of its living leases. The name alone proves nothing, since anybody may
// have put a key of ours anew (P6).
func (m *Machine) ours(q *queue, k Key) (*lease, bool) {
	rest, ok := strings.CutPrefix(k.Key, q.prefix)
	if !ok {
		return nil, false
	}
	id, _, ok := keys.Place(rest)
	l := m.leases[id]
	return l, ok && k.Lease == id && l != nil && l.state == ready
}

// bury remembers that a key was absent at a revision.
func (q *queue) bury(key string, revision int64) {
	if q.tombs == nil {
		q.tombs = map[string]int64{}
	}
	q.tombs[key] = max(q.tombs[key], revision)
}

// clearTombs forgets the deletions that no answer still under way can be
// older than: each such answer is newer than the floor noted when it was asked.
func (q *queue) clearTombs() {
	if len(q.tombs) == 0 {
		return
	}
	var floor int64 = -1
	note := func(f int64) {
		if floor < 0 || f < floor {
			floor = f
		}
	}
	for _, e := range q.entries {
		if e.state == sent {
			note(e.floor)
		}
	}
	if q.read.under {
		note(q.read.floor)
	}
	for key, deleted := range q.tombs {
		if floor < 0 || deleted <= floor {
			delete(q.tombs, key)
		}
	}
}

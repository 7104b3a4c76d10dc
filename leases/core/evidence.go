package core

import (
	"slices"
	"strings"

	"lockside/leases/keys"
)

// look takes in what a Txn or a read showed of a queue at its revision: all that
// was there, of which nothing may be newer evidence than what we have (I2).
func (m *Machine) look(q *queue, shown []Key, revision int64) {
	if q.knows(revision) {
		there := index(shown)
		q.sweep(there, revision)
		m.miss(q, there, revision)
	}
	for _, k := range shown {
		if q.buried(k.Key, k.Created) {
			continue // gone since this was shown
		}
		e := q.own(k.Key)
		switch {
		case e == nil, e.state == queued:
			q.meet(k)
		case e.state == sent:
			e.rev = max(e.rev, k.Created) // its own answer, which tells whose it is, is still to come
		case revision < e.rev:
		case k.Created != e.rev: // deleted, and put by somebody else
			m.vanish(e, revision)
			q.meet(k)
		case k.Modified != e.rev:
			m.vanish(e, 0)
		}
	}
	m.touch(q)
}

// knows reports whether we know of anything older than a revision, which a look
// may show no more. A LOCK of a name of its own finds nothing.
func (q *queue) knows(revision int64) bool {
	return len(q.foreign) > 0 || slices.ContainsFunc(q.entries, func(e *entry) bool {
		return e.state == live && e.rev < revision
	})
}

// sweep removes other hosts' entries that are not shown: they are gone, unless
// they are newer than the revision.
func (q *queue) sweep(there map[string]Key, revision int64) {
	for key, created := range q.foreign {
		if there[key].Created == 0 && created <= revision {
			delete(q.foreign, key)
		}
	}
}

// miss notes entries of ours that are not shown, so that none of them moves up
// for what is swept.
func (m *Machine) miss(q *queue, there map[string]Key, revision int64) {
	for _, e := range q.entries {
		if e.state == live && e.rev < revision && there[e.key].Created == 0 {
			m.vanish(e, revision)
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

// learn takes in a read of a queue: besides what a look tells, it decides what is
// in doubt (I5).
func (m *Machine) learn(q *queue, shown []Key, revision int64) {
	m.look(q, shown, revision)
	there := index(shown)
	for _, e := range slices.Clone(q.entries) {
		if !e.doubt || e.lease.state == dead || e.lease.epoch <= e.guard {
			continue
		}
		if revision >= e.lease.epoch {
			m.decide(e, there[e.key], revision)
		} else {
			m.wantRead(q) // the epoch is newer than when this was asked
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

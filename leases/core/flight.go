package core

import "slices"

// A haste is how soon a batch should go while others are under way. Each commit
// costs etcd much the same however much is in it, so small ones slow down all.
type haste uint8

const (
	patient haste = iota // nobody is held up: it rides with what goes next
	usual                // it goes when as much has gathered as is under way
	eager                // it goes at once
)

func (l *lease) hurry(h haste) { l.haste = max(l.haste, h) }

// haste is that of an enqueue or a deletion. While another enqueue of the name is
// under way, one is eager: it could not share that one's Txn. A deletion is patient
// if the next holder is one of this host, which does not wait for it (I3), and eager
// if other hosts have shown themselves in the queue: one of them may wait.
func (o *op) haste() haste {
	if o.request == nil {
		switch q := o.entry.queue; {
		case q.heir():
			return patient
		case !q.quiet():
			return eager
		}
		return usual
	}
	for _, e := range o.request.entries {
		if e.queue.underWay() {
			return eager
		}
	}
	return usual
}

// heir reports whether one of ours holds the name, or is the next to hold it.
func (q *queue) heir() bool {
	return slices.ContainsFunc(q.entries, func(e *entry) bool {
		return e.state == live && !e.given && !q.behindForeign(e)
	})
}

// underWay reports whether an enqueue of ours is not yet answered.
func (q *queue) underWay() bool {
	return slices.ContainsFunc(q.entries, func(e *entry) bool { return e.state == sent })
}

// flush sends batches as long as the lease may, and it is worth it.
func (m *Machine) flush(l *lease) {
	for l.state == ready && l.resumeAt == 0 && m.worthABatch(l) {
		b := m.pack(l)
		l.inFlight++
		l.opsInFlight += len(b.ops)
		m.batches[b.ID] = b
		m.counts.Batches++
		m.emit(Commit{b})
	}
}

// worthABatch reports whether what lies in the outbox should go now. Whatever may
// not, goes at the latest when a batch under way is answered: what is idle delays
// nothing.
func (m *Machine) worthABatch(l *lease) bool {
	waiting, most := l.sendable(), m.cfg.BatchesInFlight
	switch {
	case waiting == 0:
		return false
	case l.inFlight == 0:
		return true
	case l.haste == eager:
		return l.inFlight < most+m.cfg.Window
	case l.haste == patient:
		return false
	}
	return l.inFlight < most && waiting >= min(l.opsInFlight, m.batchOps/2)
}

// land ends the flight of a batch.
func (l *lease) land(b *Batch) {
	l.inFlight--
	l.opsInFlight -= len(b.ops)
}

package core

import "slices"

// An op is one request's enqueue, or one entry's deletion, in an outbox.
type op struct {
	request *request // to enqueue all its entries
	entry   *entry   // to delete
	empty   bool     // enqueue only if the queues are empty: saves the look, and a try leaves no trace
	alone   bool     // it may have been the reason why a batch was refused
}

// entries are those that an op is about.
func (o *op) entries() []*entry {
	if o.request != nil {
		return o.request.entries
	}
	return []*entry{o.entry}
}

// cost is the number of operations an op takes in a Txn: a put for each name and a
// look unless the queues are to be empty, or one deletion. It is never less than
// its guards.
func (o *op) cost() int {
	switch {
	case o.request == nil:
		return 1
	case o.empty:
		return len(o.request.entries)
	}
	return 2 * len(o.request.entries)
}

func (m *Machine) push(l *lease, o *op) {
	if l.state != dead {
		l.outbox = append(l.outbox, o)
		l.hurry(o.haste())
		m.load(l)
	}
}

// takeBack takes a request's enqueue out of the outbox, if it lies there.
func (r *request) takeBack() {
	if len(r.entries) > 0 && r.entries[0].state == queued {
		l := r.entries[0].lease
		l.outbox = slices.DeleteFunc(l.outbox, func(o *op) bool { return o == r.op })
	}
}

// pack takes from the outbox what fits into one batch, in order, and the first
// op that may go in any case: if it is too large, etcd refuses it alone. Two
// enqueues of one name never go together: they would share a create revision (I1).
func (m *Machine) pack(l *lease) *Batch {
	m.lastBatch++
	b := &Batch{ID: m.lastBatch, Lease: l.id}
	room := m.batchOps - 1 // the epoch's guard
	rest, left := l.outbox[:0], patient
	for i, o := range l.outbox {
		held := m.packedAlready(o, b.ID) || !l.lets(o)
		if held || len(b.ops) > 0 && (o.alone || o.cost() > room) {
			rest = append(rest, o)
			left = max(left, o.haste())
			continue
		}
		room -= o.cost()
		m.add(b, o)
		if o.alone {
			rest, left = append(rest, l.outbox[i+1:]...), usual
			break
		}
	}
	clear(l.outbox[len(rest):])
	l.outbox = rest
	l.haste = left
	if len(b.Puts) > 0 {
		b.Epoch = l.epoch
	}
	return b
}

// lets reports whether an op may be sent on the lease: while the epoch is being
// replaced, a deletion alone (I6).
func (l *lease) lets(o *op) bool { return !l.stale || o.request == nil }

// sendable is the number of ops in the outbox that may be sent.
func (l *lease) sendable() int {
	if !l.stale {
		return len(l.outbox)
	}
	n := 0
	for _, o := range l.outbox {
		if l.lets(o) {
			n++
		}
	}
	return n
}

// packedAlready reports whether a batch has an enqueue of one of the names, or
// an earlier one in the outbox was left behind. Either way the name is marked,
// so that requests of one name keep their order.
func (m *Machine) packedAlready(o *op, batch uint64) bool {
	if o.request == nil {
		return false
	}
	found := false
	for _, e := range o.request.entries {
		found = found || e.queue.packed == batch
	}
	for _, e := range o.request.entries {
		e.queue.packed = batch
	}
	return found
}

// add puts an op into a batch.
func (m *Machine) add(b *Batch, o *op) {
	b.ops = append(b.ops, o)
	if o.request == nil {
		b.Drops = append(b.Drops, Drop{o.entry.key, o.entry.rev})
		return
	}
	o.request.sent = m.now
	for _, e := range o.request.entries {
		e.guard, e.floor, e.state = e.lease.epoch, m.revision, sent
		b.Puts = append(b.Puts, Put{Queue: e.queue.name, Key: e.key, Value: o.request.value, Empty: o.empty})
	}
}

// requeue puts ops that were certainly not done back at the head of the
// outbox. What was given up meanwhile is gone: its enqueue never happened.
func (m *Machine) requeue(l *lease, ops []*op) {
	var again []*op
	for _, o := range ops {
		if o.request == nil {
			if o.entry.state != gone {
				again = append(again, o)
			}
			continue
		}
		if o.request.done {
			for _, e := range o.request.entries {
				m.gone(e, 0)
			}
			continue
		}
		for _, e := range o.request.entries {
			e.queue.unsend(e)
		}
		again = append(again, o)
	}
	if l.state != dead {
		l.outbox = append(again, l.outbox...)
		l.hurry(usual)
		m.load(l)
	}
}

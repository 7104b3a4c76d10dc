package core

import "fmt"

func (ev BatchRefused) apply(m *Machine) {
	m.saw(ev.Revision)
	b, l := m.take(ev.Batch)
	if b == nil {
		return
	}
	fenced := len(b.Puts) > 0 && ev.Epoch != b.Epoch
	if fenced && l.epoch == b.Epoch && !l.stale && l.state != dead {
		m.newEpoch(l, ev.Epoch)
	}
	found := ev.Found
	for _, o := range b.inOrder() {
		n := len(o.entries())
		if o.empty {
			m.notEmpty(o, found[:n], ev.Revision)
		} else {
			m.contradicted(o, found[:n], ev.Revision)
		}
		found = found[n:]
	}
	m.requeue(l, b.ops)
}

// waryFor is how many enqueues take no queue to be empty after one was not: each
// such refusal costs all that share the batch a commit.
const waryFor = 100

// notEmpty takes in what a refusal showed of queues that were to be empty. A try
// is over if one is not, and otherwise goes alone next time. A request that waits
// looks at its queues next time, so that it is refused no more.
func (m *Machine) notEmpty(o *op, found [][]Key, revision int64) {
	var busy bool
	for i, e := range o.request.entries {
		m.look(e.queue, found[i], revision)
		busy = busy || len(found[i]) > 0
	}
	if busy {
		m.wary = waryFor
	}
	r := o.request
	o.empty, o.alone = r.try, r.try
	if busy && r.try && !r.done {
		for _, e := range r.entries {
			e.queue.unsend(e)
		}
		m.refuse(r, ErrBusy)
	}
}

// newEpoch takes the epoch that a refusal showed: a late write of ours, or
// somebody's. It is as good as one of our making, since the epoch key's mod
// revision never returns to an earlier guard. An absent key is written anew.
func (m *Machine) newEpoch(l *lease, epoch int64) {
	if epoch > l.epoch {
		l.epoch = epoch
	} else {
		m.fence(l)
	}
}

// contradicted takes in what a refusal showed of each key: an entry to delete may
// be gone, and a key to be put may be taken, so that another is needed.
func (m *Machine) contradicted(o *op, found [][]Key, revision int64) {
	for i, e := range o.entries() {
		var created int64
		if len(found[i]) > 0 {
			created = found[i][0].Created
		}
		switch {
		case e.state == leaving && created != e.rev:
			m.gone(e, revision)
		case e.state == sent && created != 0:
			e.queue.meet(Key{Key: e.key, Created: created})
			m.wantRead(e.queue)
			e.queue.remove(e)
			e.rev = 0 // that key is the other's
			e.queue.add(e)
		}
	}
}

func (ev BatchFailed) apply(m *Machine) {
	b, l := m.take(ev.Batch)
	if b == nil {
		return
	}
	switch {
	case ev.Cause == NoLease:
		m.requeue(l, b.ops)
		m.die(l, LeaseRevoked)
		return
	case ev.Cause == NotSent:
		l.hold(m)
	case len(b.ops) > 1:
		m.suspect(b, ev.Cause)
	default:
		m.fail(l, b.ops[0], ev)
		return
	}
	m.requeue(l, b.ops)
}

// fewestOps is what batches may shrink to.
const fewestOps = 8

// suspect lets each op of a refused batch be tried alone, so that one that is
// bad fails alone; or makes batches smaller, as long as that may help.
func (m *Machine) suspect(b *Batch, cause Failure) {
	if cause == TooLarge && m.batchOps > fewestOps {
		m.batchOps = max(m.batchOps/2, fewestOps)
		return
	}
	for _, o := range b.ops {
		o.alone = true
	}
}

// fail answers a request that etcd refuses for what it is. A deletion is tried
// again: it must be done.
func (m *Machine) fail(l *lease, o *op, ev BatchFailed) {
	if o.request == nil {
		l.hold(m)
		m.requeue(l, []*op{o})
		return
	}
	for _, e := range o.request.entries {
		e.queue.unsend(e)
	}
	if o.request.done {
		m.requeue(l, []*op{o})
		return
	}
	why := ErrUnavailable
	if ev.Cause == TooLarge {
		why = ErrLimit
	}
	m.refuse(o.request, fmt.Errorf("%w: %w", why, ev.Err))
}

package core

import "fmt"

func (ev BatchRefused) apply(m *Machine) {
	m.saw(ev.Revision)
	b, l := m.take(ev.Batch)
	if b == nil {
		return
	}
	fenced := ev.Epoch != b.Epoch
	if fenced && l.epoch == b.Epoch && !l.stale && l.state != dead {
		m.newEpoch(l, ev.Epoch)
	}
	for i, e := range b.entries() {
		m.contradicted(e, ev.Keys[i], ev.Revision)
	}
	var again []*op
	for _, o := range b.ops {
		if o.empty && !fenced && !o.request.done {
			m.giveBack(o.request)
		} else {
			again = append(again, o)
		}
	}
	m.requeue(l, again)
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

// contradicted takes in what a refusal showed of one key: an entry to delete
// may be gone, and a key to be put may be taken, so that another is needed.
func (m *Machine) contradicted(e *entry, created, revision int64) {
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

// giveBack answers a try whose queue was not empty. Nothing was put.
func (m *Machine) giveBack(r *request) {
	for _, e := range r.entries {
		e.queue.unsend(e)
	}
	m.refuse(r, ErrBusy)
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
		l.resumeAt = m.now + l.pause()
		m.arm(l)
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
		l.resumeAt = m.now + l.pause()
		m.arm(l)
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

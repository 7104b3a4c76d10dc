package core

// take ends the flight of a batch and finds its lease.
func (m *Machine) take(id uint64) (*Batch, *lease) {
	b := m.batches[id]
	if b == nil {
		return nil, nil
	}
	delete(m.batches, id)
	l := m.leases[b.Lease]
	if l == nil {
		return nil, nil // revoked meanwhile, and its entries with it
	}
	l.land(b)
	m.load(l)
	return b, l
}

func (ev BatchApplied) apply(m *Machine) {
	m.saw(ev.Revision)
	b, l := m.take(ev.Batch)
	if b == nil {
		return
	}
	l.failures = 0
	looks := ev.Looks
	for _, o := range b.ops {
		if o.request == nil {
			m.gone(o.entry, ev.Revision)
			continue
		}
		for _, e := range o.request.entries {
			m.entered(e, ev.Revision)
			if o.empty {
				m.look(e.queue, []Key{{Key: e.key, Created: ev.Revision, Modified: ev.Revision}}, ev.Revision)
				continue
			}
			m.look(e.queue, looks[0], ev.Revision)
			looks = looks[1:]
		}
	}
}

// entered makes an entry live: etcd created it at this revision.
func (m *Machine) entered(e *entry, created int64) {
	if e.state != sent {
		return
	}
	if e.rev > created {
		e.queue.meet(Key{Key: e.key, Created: e.rev}) // deleted, and put by somebody else
	}
	e.state, e.rev, e.alive = live, created, m.now
	if e.given {
		m.drop(e)
	} else if e.queue.buried(e.key, created) {
		m.vanish(e, e.queue.tombs[e.key].known)
	}
	m.touch(e.queue)
}

func (ev BatchUnknown) apply(m *Machine) {
	b, l := m.take(ev.Batch)
	if b == nil {
		return
	}
	m.counts.BatchesUnknown++
	var again []*op
	for _, o := range b.ops {
		if o.request == nil {
			again = append(again, o) // done twice it deletes nothing else (I6)
			continue
		}
		for _, e := range o.request.entries {
			m.doubt(e)
		}
	}
	if len(b.Puts) > 0 && l.state != dead && l.epoch == b.Epoch && !l.stale {
		m.fence(l)
	}
	if len(again) > 0 {
		l.hold(m)
		m.requeue(l, again)
	}
}

// doubt notes that nobody knows whether an entry was put. If its batch is fenced
// off already, a read tells.
func (m *Machine) doubt(e *entry) {
	if e.state == gone {
		return
	}
	e.doubt = true
	if e.lease.epoch > e.guard && !e.lease.stale {
		m.wantRead(e.queue)
	}
}

// inOrder is the ops in the order of the batch's keys: enqueues first, then drops.
func (b *Batch) inOrder() []*op {
	var puts, drops []*op
	for _, o := range b.ops {
		if o.request != nil {
			puts = append(puts, o)
		} else {
			drops = append(drops, o)
		}
	}
	return append(puts, drops...)
}

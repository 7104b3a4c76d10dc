package core

// fence replaces a lease's epoch key (I5). Until that is confirmed, nothing is
// put on the lease.
func (m *Machine) fence(l *lease) {
	if l.state == granting {
		l.state = fencing
	}
	l.stale = true
	m.emit(FenceLease{l.id})
}

func (ev LeaseFenced) apply(m *Machine) {
	l := m.leases[ev.Lease]
	if l == nil || l.state == dead {
		return
	}
	m.saw(ev.Epoch)
	l.epoch, l.stale, l.failures = ev.Epoch, false, 0
	for _, e := range l.entries {
		if e.doubt {
			m.wantRead(e.queue)
		}
	}
	if l.state == fencing {
		l.state = ready
		l.listAt = m.now + m.cfg.ReconcileEvery
		m.arm(l)
		m.rest(l)
	}
	m.serve(l.class)
	m.load(l)
}

func (ev FenceFailed) apply(m *Machine) {
	if l := m.leases[ev.Lease]; l != nil && l.state != dead {
		l.fenceAt = m.now + l.pause()
		m.arm(l)
	}
}

// decide settles an entry in doubt by a read that is newer than the epoch
// which fenced its batch off: what the read shows of its key is final. A key on
// another lease is not ours, and an absent one is on none.
func (m *Machine) decide(e *entry, k Key, revision int64) {
	e.doubt = false
	r, ours := e.request, k.Lease == e.lease.id
	switch {
	case e.given && !ours:
		e.rev = 0 // the read tells what is under its key
		m.gone(e, revision)
	case ours:
		m.entered(e, k.Created)
	default:
		e.state, e.rev = queued, 0
	}
	if k.Created != 0 && !ours {
		e.queue.meet(k)
	}
	if r != nil {
		m.decided(r)
	}
}

// decided enqueues a request again once it is certain that none of its entries
// was put. They are put together or not at all, so a mixture means that
// somebody deleted one.
func (m *Machine) decided(r *request) {
	var absent int
	for _, e := range r.entries {
		if e.doubt {
			return
		}
		if e.state == queued {
			absent++
		}
	}
	switch absent {
	case 0:
	case len(r.entries):
		m.push(r.entries[0].lease, r.op)
	default:
		m.lose(r.session, EntryDeleted)
	}
}

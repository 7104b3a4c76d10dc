package core

import "lockside/leases/keys"

// probe asks whether a lease is there, to tell a revoked lease from a deleted
// entry. The answer is not waited for longer than it takes to matter.
func (m *Machine) probe(l *lease) {
	if l.probing {
		return
	}
	l.probing = true
	l.judgeAt = m.now + judgeAfter
	m.arm(l)
	m.emit(ProbeLease{l.id})
}

func (ev LeaseAlive) apply(m *Machine) {
	if l := m.leases[ev.Lease]; l != nil && l.state != dead {
		m.judge(l)
	}
}

// judge ends the sessions whose entries are missing on a lease that lives.
func (m *Machine) judge(l *lease) {
	l.probing, l.judgeAt = false, 0
	for _, e := range l.entries {
		if e.missing && e.session != nil {
			m.lose(e.session, EntryDeleted)
			m.judge(l) // the entries have changed
			return
		}
	}
	m.arm(l)
}

// apply compares the keys on a lease with our entries (I7). The list may be
// old, so it only tells which queues to read.
func (ev LeaseListed) apply(m *Machine) {
	l := m.leases[ev.Lease]
	if l == nil || l.state != ready {
		return
	}
	listed := make(map[string]bool, len(ev.Keys))
	for _, key := range ev.Keys {
		listed[key] = true
	}
	for _, e := range l.entries {
		if e.state == live && !listed[e.key] {
			m.wantRead(e.queue)
		}
		delete(listed, e.key)
	}
	for _, key := range ev.Keys {
		if listed[key] {
			m.readStray(key)
		}
	}
}

// readStray reads the queue of a key that no entry of ours has.
func (m *Machine) readStray(key string) {
	if name, _, ok := keys.Split(m.cfg.Prefix, key); ok {
		m.wantRead(m.queue(name))
	}
}

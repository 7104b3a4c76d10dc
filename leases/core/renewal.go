package core

import "time"

func (ev LeaseGranted) apply(m *Machine) {
	l := m.leases[ev.Lease]
	if l == nil || l.state != granting {
		return
	}
	l.failures = 0
	if ev.Exists {
		l.ttl, l.renewAt = l.class.ttl, m.now // a renewal tells what the deadline is
		m.arm(l)
		return
	}
	m.extend(l, ev.TTL, ev.Sent)
	m.fence(l)
}

func (ev GrantFailed) apply(m *Machine) {
	if l := m.leases[ev.Lease]; l != nil && l.state == granting {
		l.grantAt = m.now + l.pause()
		m.arm(l)
	}
}

func (ev LeaseRenewed) apply(m *Machine) {
	l := m.leases[ev.Lease]
	if l == nil || l.state == dead {
		return // too late
	}
	m.extend(l, ev.TTL, ev.Sent)
	if l.state == granting {
		m.fence(l)
	}
}

// extend sets the deadline from the moment of sending (P3).
func (m *Machine) extend(l *lease, ttl, sent time.Duration) {
	l.ttl = ttl
	l.deadline = max(l.deadline, sent+ttl)
	l.attempt = 0
	l.renewAt = sent + ttl/3
	m.arm(l)
}

func (ev RenewFailed) apply(m *Machine) {
	l := m.leases[ev.Lease]
	if l == nil || l.state == dead {
		return
	}
	m.counts.RenewalsFailed++
	l.attempt++
	l.renewAt = m.now + min(max(l.ttl/60, firstPause), 10*firstPause)
	m.arm(l)
}

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
	l.extend(ev.TTL, ev.Sent)
	m.fence(l)
	m.arm(l)
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
	underWay := ev.Late && l.renewAt == 0 // the attempt after the late one
	l.extend(ev.TTL, ev.Sent)
	if underWay {
		l.renewAt = 0
	} else {
		l.asked = 0
	}
	if l.state == granting {
		m.fence(l)
	}
	m.arm(l)
}

// extend sets the deadline from the moment of sending (P3), and the next renewal.
func (l *lease) extend(ttl, sent time.Duration) {
	l.ttl = ttl
	l.deadline = max(l.deadline, sent+ttl)
	l.attempt = 0
	l.renewAt = max(l.renewAt, l.renewDue())
}

// renewDue is the moment at which a third of the TTL has gone since the renewal was
// sent that made the deadline.
func (l *lease) renewDue() time.Duration { return l.deadline - l.ttl + l.ttl/3 }

func (ev RenewFailed) apply(m *Machine) {
	l := m.leases[ev.Lease]
	if l == nil || l.state == dead {
		return
	}
	m.counts.RenewalsFailed++
	l.asked = 0
	l.attempt++
	l.renewAt = max(m.now+min(max(l.ttl/60, firstPause), 10*firstPause), l.renewDue())
	m.arm(l)
}

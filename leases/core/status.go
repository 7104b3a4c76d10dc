package core

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Counts is what has happened since the machine was made.
type Counts struct {
	Grants         uint64
	Batches        uint64
	BatchesUnknown uint64
	RenewalsFailed uint64
	Orphans        uint64 // entries on our leases that we did not know of; should stay 0
	Losses         map[Reason]uint64
}

// Holding is what a session holds a name by.
type Holding struct {
	Session SessionID
	Name    string
	Fence   int64
	Key     string
	Waiting bool          // it waits for the name
	Value   []byte        // as Lock gave it
	Since   time.Duration // when it was granted
	Until   time.Duration // when the lease ends its sessions unless it is renewed
	Left    time.Duration // the time until then
}

// LeaseStatus is the state of one lease.
type LeaseStatus struct {
	Lease   int64
	Asked   time.Duration // the TTL that it was asked for with
	TTL     time.Duration // as granted; zero before
	Left    time.Duration // to the deadline less margin
	Entries int
	State   string
}

// Status is a summary of the machine.
type Status struct {
	Sessions, Held, Waiting, Watches int
	Leases                           []LeaseStatus
	Counts                           Counts
	Closed                           error // why nothing is granted, if so
}

// Overdue is by how long the latest of what the caller owes is late: to tell the time,
// or the outcome of an attempt to renew, which takes a tenth of the TTL.
func (m *Machine) Overdue(now time.Duration) (late time.Duration) {
	if next := m.Next(); next > 0 {
		late = now - next
	}
	for _, l := range m.leases {
		if l.state != dead && l.asked > 0 {
			late = max(late, now-l.asked-l.ttl/10)
		}
	}
	return max(late, 0)
}

// Check finds what a session holds a name by. The time is that of the last Step.
func (m *Machine) Check(id SessionID, name string) (Holding, bool) {
	s := m.sessions[id]
	if s == nil {
		return Holding{}, false
	}
	e := s.holds(name)
	if e == nil {
		return Holding{}, false
	}
	return m.holding(s, e), true
}

func (m *Machine) holding(s *session, e *entry) Holding {
	return Holding{s.id, e.name(), e.rev, e.key, false, e.value, e.granted, m.until(e.lease), m.left(e.lease)}
}

// List is what one session, or every session, holds and waits for, by name, the
// holder before those that wait.
func (m *Machine) List(only SessionID, all bool) []Holding {
	var list []Holding
	for id, s := range m.sessions {
		if !all && id != only {
			continue
		}
		for _, e := range s.held {
			list = append(list, m.holding(s, e))
		}
		if s.request != nil {
			for _, name := range s.request.names {
				list = append(list, Holding{Session: id, Name: name, Waiting: true, Value: s.request.value})
			}
		}
	}
	slices.SortFunc(list, func(a, b Holding) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Session, b.Session))
	})
	return list
}

// rank orders what a name has: there is at most one holder.
func (h Holding) rank() int {
	if h.Waiting {
		return 1
	}
	return 0
}

// Status sums the machine up.
func (m *Machine) Status() Status {
	st := Status{Sessions: len(m.sessions), Watches: len(m.watches), Counts: m.counts, Closed: m.closed}
	st.Counts.Losses = maps.Clone(m.counts.Losses)
	for _, s := range m.sessions {
		st.Held += len(s.held)
		if s.request != nil {
			st.Waiting++
		}
	}
	for _, l := range m.leases {
		st.Leases = append(st.Leases, LeaseStatus{l.id, l.class.ttl, l.ttl, m.left(l), len(l.entries), l.state.String()})
	}
	slices.SortFunc(st.Leases, func(a, b LeaseStatus) int { return cmp.Compare(a.Lease, b.Lease) })
	return st
}

func (s leaseState) String() string {
	return [...]string{"granting", "fencing", "ready", "dead"}[s]
}

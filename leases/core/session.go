package core

import (
	"fmt"
	"slices"
	"time"
)

// A session owns what it holds and the one request that it waits for.
type session struct {
	id      SessionID
	held    []*entry
	request *request
	ended   bool
}

// A release is an Unlock that waits until etcd has deleted its entries.
type release struct {
	session *session
	left    int
	held    time.Duration
}

func (ev Open) apply(m *Machine) {
	m.sessions[ev.Session] = &session{id: ev.Session}
}

func (ev Lock) apply(m *Machine) {
	s := m.sessions[ev.Session]
	if s == nil {
		return
	}
	if err := m.admissible(s, ev); err != nil {
		m.emit(Refused{s.id, err})
		return
	}
	r := &request{session: s, names: ev.Names, ttl: ev.TTL, value: ev.Value, try: ev.Wait == 0}
	r.alarm.task = r
	s.request = r
	switch {
	case r.try:
		m.alarms.set(&r.alarm, m.now+m.cfg.RequestTimeout)
	case ev.Wait > 0:
		m.alarms.set(&r.alarm, m.now+ev.Wait)
	}
	m.admit(r)
}

// admissible checks a request against what its session has already.
func (m *Machine) admissible(s *session, ev Lock) error {
	if m.closed != nil {
		return m.closed
	}
	if s.request != nil {
		return fmt.Errorf("%w: it waits for %q", ErrHeld, s.request.names[0])
	}
	if most := m.cfg.LocksPerSession; len(s.held)+len(ev.Names) > most {
		return fmt.Errorf("%w: a session has at most %d locks", ErrLimit, most)
	}
	for i, name := range ev.Names {
		if slices.Contains(ev.Names[:i], name) {
			return fmt.Errorf("%w: %q is asked for twice", ErrHeld, name)
		}
	}
	if !m.usable(ev.TTL) {
		return fmt.Errorf("%w: this host uses %d TTLs already: ask for one that is in use, or for none", ErrLimit, m.cfg.TTLs)
	}
	for _, e := range s.held {
		if slices.Contains(ev.Names, e.name()) {
			return fmt.Errorf("%w: %q", ErrHeld, e.name())
		}
		if first := slices.Min(ev.Names); ev.Wait != 0 && first < e.name() {
			return fmt.Errorf("%w: %q sorts before %q, which it holds", ErrOrder, first, e.name())
		}
	}
	return nil
}

func (ev Unlock) apply(m *Machine) {
	s := m.sessions[ev.Session]
	if s == nil {
		return
	}
	entries := make([]*entry, 0, len(ev.Names))
	for _, name := range ev.Names {
		e := s.holds(name)
		if e == nil {
			m.emit(Refused{s.id, fmt.Errorf("%w: %q", ErrNotHeld, name)})
			return
		}
		if ev.Fence != 0 && ev.Fence != e.rev {
			m.emit(Refused{s.id, fmt.Errorf("%w: %q is held with fence %d", ErrNotHeld, name, e.rev)})
			return
		}
		entries = append(entries, e)
	}
	rel := &release{session: s, left: len(entries)}
	for _, e := range entries {
		rel.held = max(rel.held, m.now-e.granted)
		e.release = rel
		s.held = slices.DeleteFunc(s.held, func(h *entry) bool { return h == e })
		m.giveUp(e)
	}
}

// holds finds the entry by which a session holds a name.
func (s *session) holds(name string) *entry {
	for _, e := range s.held {
		if e.name() == name {
			return e
		}
	}
	return nil
}

func (ev Cancel) apply(m *Machine) {
	if s := m.sessions[ev.Session]; s != nil && s.request != nil {
		m.refuse(s.request, ErrCancelled)
	}
}

func (ev End) apply(m *Machine) {
	if s := m.sessions[ev.Session]; s != nil {
		m.end(s)
	}
}

// lose ends a session against its client's will. The caller of Step shuts it
// down when it finds the action, which comes before any grant that follows.
func (m *Machine) lose(s *session, reason Reason) {
	if s.ended {
		return
	}
	m.counts.Losses[reason]++
	m.emit(Lost{s.id, reason})
	m.end(s)
}

// end forgets a session and gives up all that it has.
func (m *Machine) end(s *session) {
	s.ended = true
	delete(m.sessions, s.id)
	if s.request != nil {
		m.withdraw(s.request)
	}
	for _, e := range s.held {
		m.giveUp(e)
	}
	s.held = nil
}

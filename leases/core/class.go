package core

import (
	"slices"
	"time"
)

// A class is the leases of one TTL, and the requests that wait for one.
type class struct {
	ttl     time.Duration
	leases  []*lease
	waiting []*request
}

// class finds or makes the class of a TTL; zero is the default.
func (m *Machine) class(ttl time.Duration) *class {
	if ttl == 0 {
		ttl = m.cfg.DefaultTTL
	}
	c := m.classes[ttl]
	if c == nil {
		c = &class{ttl: ttl}
		m.classes[ttl] = c
	}
	return c
}

// usable reports whether a TTL is in use, or may come into use beside the others.
func (m *Machine) usable(ttl time.Duration) bool {
	if ttl == 0 || ttl == m.cfg.DefaultTTL {
		return true
	}
	used := 0
	for other, c := range m.classes {
		if len(c.leases) == 0 && len(c.waiting) == 0 || other == m.cfg.DefaultTTL {
			continue
		}
		if used++; other == ttl {
			return true
		}
	}
	return used < m.cfg.TTLs
}

// room finds a ready lease with room for some more entries. An empty one has
// room for any number: a further lease would have no more.
func (c *class) room(more, most int) *lease {
	for _, l := range c.leases {
		if l.state == ready && (len(l.entries) == 0 || len(l.entries)+more <= most) {
			return l
		}
	}
	return nil
}

func (c *class) remove(l *lease) {
	c.leases = slices.DeleteFunc(c.leases, func(o *lease) bool { return o == l })
}

// grantFor asks for a lease if a class needs one and none is on its way. The
// default class always has one, so that the first request finds it ready.
func (m *Machine) grantFor(c *class) {
	needed := len(c.waiting) > 0 || c.ttl == m.cfg.DefaultTTL && len(c.leases) == 0
	coming := slices.ContainsFunc(c.leases, func(l *lease) bool { return l.state < ready })
	if !needed || coming || m.closed != nil {
		return
	}
	l := &lease{id: m.cfg.LeaseID(), class: c}
	l.alarm.task = l
	m.leases[l.id] = l
	c.leases = append(c.leases, l)
	m.emit(GrantLease{l.id, c.ttl})
}

// sit gives a request a seat in the waiting room. It counts in the windows of
// its queues, since it will be placed without a look at them.
func (m *Machine) sit(r *request, c *class) {
	r.class = c
	c.waiting = append(c.waiting, r)
	for _, name := range r.names {
		m.queue(name).seated++
	}
}

// rise is the end of that.
func (m *Machine) rise(r *request) {
	r.class = nil
	for _, name := range r.names {
		q := m.queue(name)
		q.seated--
		m.touch(q)
	}
}

// serve places the requests that waited for a lease of a class.
func (m *Machine) serve(c *class) {
	waiting := c.waiting
	c.waiting = nil
	for _, r := range waiting {
		m.rise(r)
		m.place(r)
	}
}

// refill gives the room that an entry left to the first request that waits for
// a further lease, which may be long in coming.
func (m *Machine) refill(l *lease) {
	c := l.class
	if l.state != ready || len(c.waiting) == 0 || len(l.entries)+len(c.waiting[0].names) > m.cfg.EntriesPerLease {
		return
	}
	r := c.waiting[0]
	c.waiting = c.waiting[1:]
	m.rise(r)
	m.place(r)
}

// rest lets a lease without entries go after a while, but for the last one of
// the default TTL.
func (m *Machine) rest(l *lease) {
	last := l.class.ttl == m.cfg.DefaultTTL && len(l.class.leases) == 1
	if l.state == ready && !last {
		l.idleAt = m.now + m.cfg.IdleLease
		m.arm(l)
	}
}

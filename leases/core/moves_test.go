package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockside/leases/keys"
)

func (s *schedule) move() {
	n := s.rand.IntN(1000)
	if s.wild && s.rand.IntN(20) == 0 {
		n = 850 + s.rand.IntN(13)
	}
	switch {
	case n < 250:
		s.open()
	case n < 600:
		s.act()
	case n < 700:
		s.end()
	case n < 780:
		s.mutex()
	case n < 850:
		s.mutexMove()
	case n < 853:
		s.rob()
	case n < 855:
		s.partition()
	case n < 856:
		s.restart()
	case n < 857:
		s.drain()
	case n < 858:
		s.suspend()
	case n < 859:
		s.fill()
	case n < 863:
		s.upgrade()
	}
}

func (s *schedule) pick() *client {
	var all []string
	for who, c := range s.history.clients {
		if c.host.asleep == 0 {
			all = append(all, who)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b string) int { return int(s.history.clients[a].id) - int(s.history.clients[b].id) })
	return s.history.clients[all[s.rand.IntN(len(all))]]
}

func (s *schedule) open() {
	if len(s.history.clients) > s.crowd {
		return
	}
	s.session++
	c := &client{host: s.hosts[s.rand.IntN(len(s.hosts))], id: s.session, held: map[string]int64{}}
	s.history.clients[c.who()] = c
	c.host.step(Open{c.id})
	s.lock(c)
}

// lock asks for names that the client does not hold. One that holds others does
// not wait for ever, since others may ask for several at once.
func (s *schedule) lock(c *client) {
	names := slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return c.held[name] != 0 })
	s.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	c.asked = names[:1]
	if s.rand.IntN(5) == 0 {
		c.asked = names[:1+s.rand.IntN(len(names))]
	}
	waits := []time.Duration{0, 40 * time.Millisecond, Forever, Forever, Forever}
	if len(c.held) > 0 {
		waits = waits[:2]
	}
	ttl := []time.Duration{0, 0, 0, 5 * time.Second}[s.rand.IntN(4)]
	c.host.step(Lock{Session: c.id, Names: c.asked, TTL: ttl, Wait: waits[s.rand.IntN(len(waits))]})
}

func (s *schedule) unlock(c *client) {
	names := c.names()
	names = names[s.rand.IntN(len(names)):]
	s.history.free(names, c.who())
	for _, name := range names {
		delete(c.held, name)
	}
	c.asks++
	c.host.step(Unlock{Session: c.id, Names: names})
}

func (s *schedule) act() {
	c := s.pick()
	switch {
	case c == nil:
	case len(c.asked) > 0 && s.rand.IntN(10) == 0:
		c.host.step(Cancel{c.id})
	case len(c.held) > 0 && s.rand.IntN(4) > 0:
		s.unlock(c)
	case len(c.asked) == 0 && len(c.held) < len(s.names):
		s.lock(c)
	}
}

func (s *schedule) end() {
	if c := s.pick(); c != nil {
		s.history.free(c.names(), c.who())
		delete(s.history.clients, c.who())
		c.host.step(End{c.id})
	}
}

// mutex lets a foreign concurrency.Mutex join a queue.
func (s *schedule) mutex() {
	if len(s.foreign) > 4 {
		return
	}
	s.ids++
	name := s.names[s.rand.IntN(len(s.names))]
	key := fmt.Sprintf("%s%x", keys.Queue(modelPrefix, name), s.ids)
	s.net.etcd.grant(s.ids, time.Hour)
	s.net.etcd.revision++
	s.net.etcd.put(key, s.ids)
	s.foreign[key] = name
	s.history.note("mutex %s joins", key)
}

// mutexMove lets the mutexes whose turn it is hold, and others let go.
func (s *schedule) mutexMove() {
	for _, key := range slices.Sorted(maps.Keys(s.foreign)) {
		name := s.foreign[key]
		first := s.net.etcd.look(keys.Queue(modelPrefix, name))[0]
		switch {
		case s.history.holders[name] == key || s.rand.IntN(4) == 0:
			s.history.free([]string{name}, key)
			delete(s.foreign, key)
			s.net.etcd.revision++
			s.net.etcd.delete(key)
		case first.Key == key:
			s.history.hold(name, key, first.Created)
		}
	}
}

// rob deletes, replaces or overwrites an entry, revokes a lease, or writes its
// epoch key, as an operator might.
func (s *schedule) rob() {
	e := s.net.etcd
	var mine []string
	for key := range e.keys {
		if _, rest, ok := keys.Split(modelPrefix, key); ok && s.foreign[key] == "" && strings.Contains(rest, "-") {
			mine = append(mine, key)
		}
	}
	if len(mine) == 0 {
		return
	}
	slices.Sort(mine)
	key := mine[s.rand.IntN(len(mine))]
	lease := e.keys[key].lease
	e.revision++
	what := s.rand.IntN(6)
	s.history.note("an operator robs %s in way %d", key, what)
	if what < 4 {
		s.history.robbed[e.keys[key].created] = true
	}
	switch what {
	case 0:
		e.delete(key)
	case 1:
		e.put(key, lease)
	case 2:
		e.delete(key)
		e.revision++
		e.put(key, 0)
		s.foreign[key], _, _ = keys.Split(modelPrefix, key)
	case 3:
		for _, k := range e.keys {
			s.history.robbed[k.created] = s.history.robbed[k.created] || k.lease == lease
		}
		e.revoke(lease)
	case 4:
		e.put(keys.Epoch(modelPrefix, lease), lease*s.rand.Int64N(2))
	case 5:
		e.delete(keys.Epoch(modelPrefix, lease))
	}
}

// partition lets everything be lost for a time about that of the TTL.
func (s *schedule) partition() {
	if s.net.bad == 1 {
		return
	}
	was := s.net.bad
	s.net.bad = 1
	s.history.note("partition")
	s.net.after(time.Duration(s.rand.IntN(5000))*time.Millisecond, func() { s.net.bad = was; s.history.note("healed") })
}

// fill leaves etcd without space, so that nothing can be put but all can be deleted.
func (s *schedule) fill() {
	s.net.etcd.full = s.net.etcd.now + time.Duration(s.rand.IntN(5000))*time.Millisecond
	s.history.note("no space until %v", s.net.etcd.full)
}

// restart crashes a host and starts another in its place, which revokes the
// leases that it left, or lets them end by themselves.
func (s *schedule) restart() {
	i := s.rand.IntN(len(s.hosts))
	old := s.hosts[i]
	s.history.note("host %d crashes", i)
	old.crash()
	s.hosts[i] = newHost(s.net, s.history, &s.ids, old.offset)
	if s.rand.IntN(2) == 0 {
		for _, lease := range slices.Sorted(maps.Keys(old.m.leases)) {
			s.hosts[i].revoke(lease)
		}
	}
}

// drain has a host give everything back while another takes its place.
func (s *schedule) drain() {
	i := s.rand.IntN(len(s.hosts))
	s.history.note("host %d is drained", i)
	s.hosts[i].step(Drain{})
	s.drained = append(s.drained, s.hosts[i])
	s.hosts[i] = newHost(s.net, s.history, &s.ids, s.hosts[i].offset)
}

// upgrade has another program go on where a host's is, now and then one that is to
// be drained.
func (s *schedule) upgrade() {
	gap := time.Duration(s.rand.IntN(500)) * time.Millisecond
	if s.rand.IntN(8) == 0 {
		gap *= 10
	}
	if i := s.rand.IntN(len(s.hosts)); s.hosts[i].asleep == 0 {
		s.history.note("host %d is upgraded within %v", i, gap)
		s.hosts[i] = s.hosts[i].upgrade(gap)
	}
}

// suspend lets a host sleep for a time about that of the TTL.
func (s *schedule) suspend() {
	i := s.rand.IntN(len(s.hosts))
	if s.hosts[i].asleep > 0 {
		return
	}
	s.history.note("host %d sleeps", i)
	s.hosts[i].asleep = s.net.etcd.now + time.Duration(s.rand.IntN(6000)+1)*time.Millisecond
	s.hosts[i].step(Tick{})
}

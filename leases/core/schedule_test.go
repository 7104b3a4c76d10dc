package core

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lockside/leases/keys"
)

var (
	seed   = flag.Uint64("core.seed", 0, "run only the schedule of this seed")
	rounds = flag.Int("core.schedules", 150, "how many random schedules to run")
)

// A history is what clients of all hosts and foreign mutexes saw. It fails the
// test when two hold one name at once, or a fence does not rise.
type history struct {
	t       *testing.T
	net     *network
	holders map[string]string // name to who holds it
	fences  map[string]int64  // the last of each name
	robbed  map[int64]bool    // create revisions of entries that an operator removed
	clients map[string]*client
	grants  int
	log     []string
}

// A client is one session that takes and gives locks at random.
type client struct {
	host    *host
	id      SessionID
	names   []string // asked for or held
	waiting bool
	held    bool
}

func (c *client) who() string { return fmt.Sprintf("%p/%d", c.host.m, c.id) }

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf("%v ", h.net.etcd.now)+fmt.Sprintf(format, args...))
}

func (h *history) fail(format string, args ...any) {
	h.t.Helper()
	h.t.Errorf(format, args...)
	tail := h.log[max(0, len(h.log)-60):]
	h.t.Fatalf("the last that happened:\n%s", strings.Join(tail, "\n"))
}

func (h *history) of(ho *host, id SessionID) *client {
	return h.clients[(&client{host: ho, id: id}).who()]
}

func (h *history) hold(name, who string, fence int64) {
	h.t.Helper()
	if other := h.holders[name]; other != "" && !h.robbed[h.fences[name]] {
		h.fail("P1: %s is granted %q while %s holds it", who, name, other)
	}
	if last := h.fences[name]; fence <= last {
		h.fail("P2: %q is granted with fence %d after %d", name, fence, last)
	}
	h.holders[name], h.fences[name] = who, fence
	h.grants++
	h.note("%s holds %q fence %d", who, name, fence)
}

func (h *history) free(names []string, who string) {
	for _, name := range names {
		if h.holders[name] == who {
			delete(h.holders, name)
			h.note("%s frees %q", who, name)
		}
	}
}

func (h *history) granted(ho *host, a Granted) {
	c := h.of(ho, a.Session)
	if !c.waiting {
		h.fail("%s is granted what it does not wait for", c.who())
	}
	c.waiting, c.held = false, true
	for _, name := range c.names {
		h.hold(name, c.who(), a.Fence)
	}
}

func (h *history) refused(ho *host, a Refused) {
	c := h.of(ho, a.Session)
	h.note("%s is refused: %v", c.who(), a.Err)
	if c.waiting {
		c.waiting, c.names = false, nil
	}
}

func (h *history) released(ho *host, a Released) {}

func (h *history) lost(ho *host, a Lost) {
	c := h.of(ho, a.Session)
	h.note("%s is lost: %s", c.who(), a.Reason)
	h.free(c.names, c.who())
	delete(h.clients, c.who())
}

func (h *history) crashed(ho *host) {
	for who, c := range h.clients {
		if c.host == ho {
			h.free(c.names, who)
			delete(h.clients, who)
		}
	}
}

// A schedule is one run: hosts, foreign mutexes, an operator, and the network.
type schedule struct {
	rand    *rand.Rand
	net     *network
	history *history
	hosts   []*host
	names   []string
	ids     int64
	session SessionID
	foreign map[string]string // key to name, of mutexes that wait or hold
}

func newSchedule(t *testing.T, seed uint64) *schedule {
	r := rand.New(rand.NewPCG(seed, 1))
	net := &network{rand: r, etcd: newModel(), bad: []float64{0, 0.02, 0.1}[seed%3]}
	h := &history{t: t, net: net, holders: map[string]string{}, fences: map[string]int64{},
		robbed: map[int64]bool{}, clients: map[string]*client{}}
	s := &schedule{rand: r, net: net, history: h, foreign: map[string]string{}, ids: 0x1000}
	for i := range 1 + r.IntN(3) {
		s.names = append(s.names, string(rune('a'+i)))
	}
	for i := range 1 + r.IntN(2) {
		s.hosts = append(s.hosts, newHost(net, h, &s.ids, time.Duration(i)*time.Hour))
	}
	return s
}

// run lets the network deliver for some time, with a move of somebody at
// random moments.
func (s *schedule) run(d time.Duration, move func()) {
	end := s.net.etcd.now + d
	if move != nil {
		var again func()
		again = func() {
			if s.net.etcd.now < end {
				move()
				s.net.after(time.Duration(s.rand.IntN(12_000))*time.Microsecond, again)
			}
		}
		again()
	}
	for {
		c, ok := s.net.next()
		if !ok || c.at > end {
			if ok {
				s.net.calls = append(s.net.calls, c)
			}
			s.net.etcd.now = end
			return
		}
		s.net.etcd.now = max(s.net.etcd.now, c.at)
		s.net.etcd.expire()
		c.do()
	}
}

func (s *schedule) move() {
	switch n := s.rand.IntN(1000); {
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
	}
}

func (s *schedule) pick() *client {
	var all []string
	for who := range s.history.clients {
		all = append(all, who)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b string) int { return int(s.history.clients[a].id) - int(s.history.clients[b].id) })
	return s.history.clients[all[s.rand.IntN(len(all))]]
}

func (s *schedule) open() {
	if len(s.history.clients) > 12 {
		return
	}
	s.session++
	c := &client{host: s.hosts[s.rand.IntN(len(s.hosts))], id: s.session}
	s.history.clients[c.who()] = c
	c.host.step(Open{c.id})
	s.lock(c)
}

func (s *schedule) lock(c *client) {
	names := slices.Clone(s.names)
	s.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	c.names = names[:1]
	if s.rand.IntN(5) == 0 {
		c.names = names[:1+s.rand.IntN(len(names))]
	}
	c.waiting = true
	wait := []time.Duration{0, 40 * time.Millisecond, Forever, Forever, Forever}[s.rand.IntN(5)]
	ttl := []time.Duration{0, 0, 0, 5 * time.Second}[s.rand.IntN(4)]
	c.host.step(Lock{Session: c.id, Names: c.names, TTL: ttl, Wait: wait})
}

func (s *schedule) act() {
	c := s.pick()
	switch {
	case c == nil:
	case c.held:
		c.held = false
		s.history.free(c.names, c.who())
		c.host.step(Unlock{Session: c.id, Names: c.names})
	case c.waiting && s.rand.IntN(10) == 0:
		c.host.step(Cancel{c.id})
	case !c.waiting:
		s.lock(c)
	}
}

func (s *schedule) end() {
	if c := s.pick(); c != nil {
		s.history.free(c.names, c.who())
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

// rob deletes or overwrites an entry, or revokes a lease, as an operator might.
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
	s.history.note("an operator robs %s", key)
	s.history.robbed[e.keys[key].created] = true
	switch s.rand.IntN(3) {
	case 0:
		e.revision++
		e.delete(key)
	case 1:
		e.revision++
		e.put(key, lease)
	default:
		for _, k := range e.keys {
			s.history.robbed[k.created] = s.history.robbed[k.created] || k.lease == lease
		}
		e.revoke(lease)
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

// restart crashes a host and starts another in its place; the leases that it
// left end by themselves.
func (s *schedule) restart() {
	i := s.rand.IntN(len(s.hosts))
	s.history.note("host %d crashes", i)
	s.hosts[i].crash()
	s.hosts[i] = newHost(s.net, s.history, &s.ids, s.hosts[i].offset)
}

// finish heals everything, lets all holders go in turn, and checks that every
// waiter is served and nothing is left (P5).
func (s *schedule) finish() {
	s.run(5*time.Second, nil) // until every partition is over
	s.net.bad = 0
	s.run(10*time.Second, nil)
	for range 100 {
		s.mutexMove()
		for c := s.pick(); c != nil && c.held; c = s.pick() {
			s.act()
		}
		s.run(50*time.Millisecond, nil)
		for _, c := range s.history.clients {
			if c.held {
				c.held = false
				s.history.free(c.names, c.who())
				c.host.step(Unlock{Session: c.id, Names: c.names})
			}
		}
		s.run(50*time.Millisecond, nil)
	}
	for range 20 {
		s.mutexMove()
	}
	s.run(5*time.Second, nil)
	for who, c := range s.history.clients {
		if c.waiting {
			s.history.fail("%s was never served %q; etcd has %v", who, c.names, s.net.etcd.look(modelPrefix))
		}
	}
	for _, k := range s.net.etcd.look(modelPrefix) {
		if !strings.HasPrefix(k.Key, modelPrefix+"!") && s.foreign[k.Key] == "" {
			s.history.fail("P5: %s is left behind", k.Key)
		}
	}
	for _, h := range s.hosts {
		if st := h.m.Status(); st.Counts.Orphans > 0 {
			s.history.fail("the reconciler found %d entries that were not known", st.Counts.Orphans)
		}
	}
}

// TestCoreRandomSchedules runs hosts, foreign mutexes, an operator and a bad
// network against a model of etcd. It holds I1 to I8: no two hold one name,
// fences rise, waiters are served, nothing is left.
func TestCoreRandomSchedules(t *testing.T) {
	first, last := uint64(1), uint64(*rounds)
	if *seed != 0 {
		first, last = *seed, *seed
	}
	grants := 0
	for n := first; n <= last; n++ {
		t.Run(fmt.Sprintf("seed=%d", n), func(t *testing.T) {
			s := newSchedule(t, n)
			s.run(20*time.Second, s.move)
			s.finish()
			grants += s.history.grants
		})
	}
	if grants < 100*int(last-first+1) {
		t.Errorf("only %d grants in all: the schedules test too little", grants)
	}
}

package core

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var (
	seed   = flag.Uint64("core.seed", 0, "run only the schedule of this seed")
	rounds = flag.Int("core.schedules", 150, "how many random schedules to run")
)

// A schedule is one run: hosts, foreign mutexes, an operator, and the network.
type schedule struct {
	rand    *rand.Rand
	net     *network
	history *history
	hosts   []*host
	drained []*host
	crowd   int  // of clients
	wild    bool // disasters follow each other closely
	names   []string
	ids     int64
	session SessionID
	foreign map[string]string // key to name, of mutexes that wait or hold
}

func newSchedule(t *testing.T, seed uint64) *schedule {
	r := rand.New(rand.NewPCG(seed, 1))
	net := &network{rand: r, etcd: newModel(), bad: []float64{0, 0.02, 0.1}[seed%3]}
	h := &history{t: t, net: net, holders: map[string]string{}, fences: map[string]int64{},
		robbed: map[int64]bool{}, margins: map[string]margin{}, clients: map[string]*client{}}
	s := &schedule{rand: r, net: net, history: h, foreign: map[string]string{}, ids: 0x1000,
		crowd: []int{12, 12, 40}[r.IntN(3)], wild: r.IntN(4) == 0}
	net.etcd.maxOps = []int{128, 128, 6}[r.IntN(3)]
	net.etcd.dropped = func(key string) {
		if s.foreign[key] != "" {
			h.fail("P6: a batch deletes %s of another", key)
		}
	}
	net.etcd.expired = func(lease int64) {
		for _, ho := range s.hosts {
			h.expired(ho, lease)
		}
	}
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

// finish heals everything, lets all holders go in turn, and checks that every
// waiter is served and nothing is left (P5).
func (s *schedule) finish() {
	s.run(7*time.Second, nil) // until every partition and every sleep is over
	s.net.bad = 0
	s.run(10*time.Second, nil)
	for range 100 {
		s.mutexMove()
		for c := s.pick(); c != nil && len(c.held) > 0; c = s.pick() {
			s.unlock(c)
		}
		s.run(50*time.Millisecond, nil)
		for _, c := range s.history.clients {
			for len(c.held) > 0 {
				s.unlock(c)
			}
		}
		s.run(50*time.Millisecond, nil)
	}
	for range 20 {
		s.mutexMove()
	}
	s.run(5*time.Second, nil)
	for who, c := range s.history.clients {
		if len(c.asked) > 0 {
			s.history.fail("%s was never served %q; etcd has %v", who, c.asked, s.net.etcd.look(modelPrefix))
		}
		if c.asks != 0 {
			s.history.fail("%s has %d Unlocks without an answer", who, c.asks)
		}
	}
	for _, k := range s.net.etcd.look(modelPrefix) {
		if !strings.HasPrefix(k.Key, modelPrefix+"!") && s.foreign[k.Key] == "" {
			s.history.fail("P5: %s is left behind", k.Key)
		}
	}
	for _, h := range s.hosts {
		s.atRest(h)
	}
	for _, h := range s.drained {
		if !h.dead && !h.m.Drained() {
			s.history.fail("a host was never drained: %+v", h.m.Status())
		}
	}
}

// atRest checks that a host without work remembers nothing of it.
func (s *schedule) atRest(h *host) {
	if st := h.m.Status(); st.Counts.Orphans > 0 {
		s.history.fail("the reconciler found %d entries that were not known", st.Counts.Orphans)
	}
	m := h.m
	if n := len(m.queues) + len(m.watches) + len(m.batches) + len(m.reads.wanted) + len(m.reads.under); n > 0 {
		s.history.fail("at rest: queues %v, %d watches, %d batches, reads %+v", m.queues, len(m.watches), len(m.batches), m.reads)
	}
	for _, l := range m.leases {
		if len(l.outbox)+len(l.entries)+len(l.class.waiting)+l.inFlight > 0 || l.stale || l.probing {
			s.history.fail("at rest: lease %+v", l)
		}
	}
}

// TestCoreRandomSchedules runs hosts that crash, sleep and are stopped, foreign
// mutexes, an operator and a bad network against a model of etcd. It holds I1 to
// I7: no two hold one name, fences rise, nobody holds past the lease, waiters are
// served, nothing of another is deleted, nothing is left in etcd or remembered.
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
	if *seed == 0 && grants < 100*int(last-first+1) {
		t.Errorf("only %d grants in all: the schedules test too little", grants)
	}
}

package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"lockside/leases/keys"
)

// A history is what clients of all hosts and foreign mutexes saw. It fails the
// test when two hold one name at once, or a fence does not rise.
type history struct {
	t       *testing.T
	net     *network
	holders map[string]string // name to who holds it
	fences  map[string]int64  // the last of each name
	robbed  map[int64]bool    // create revisions of entries that an operator removed
	margins map[string]margin // of names whose last holder's deadline came
	clients map[string]*client
	grants  int
	log     []string
}

// A margin is the time that a holder has to stop in once its deadline has come.
type margin struct {
	host  *host
	fence int64
	until time.Duration
}

// A client is one session that takes and gives locks at random.
type client struct {
	host  *host
	id    SessionID
	asked []string         // waits for
	held  map[string]int64 // name to fence
	asks  int              // Unlocks that are not answered yet
}

func (c *client) names() []string { return slices.Sorted(maps.Keys(c.held)) }

func (c *client) who() string { return fmt.Sprintf("client %d", c.id) } // of all hosts

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
	if h.robbed[fence] {
		return // it will be told, and nothing depends on when
	}
	if other := h.holders[name]; other != "" && !h.robbed[h.fences[name]] && !h.overslept(name) {
		h.fail("P1: %s is granted %q with fence %d while %s holds it with %d", who, name, fence, other, h.fences[name])
	}
	if last := h.fences[name]; fence <= last {
		h.fail("P2: %q is granted with fence %d after %d", name, fence, last)
	}
	if m := h.margins[name]; h.net.etcd.now < m.until && !h.robbed[m.fence] {
		h.fail("P3: %s is granted %q within the margin of fence %d, which lasts until %v", who, name, m.fence, m.until)
	}
	h.holders[name], h.fences[name] = who, fence
	h.grants++
	h.note("%s holds %q fence %d", who, name, fence)
}

// overslept reports whether the holder's host has slept while its lease ended,
// which nobody can help.
func (h *history) overslept(name string) bool {
	c := h.clients[h.holders[name]]
	if c == nil || c.host.asleep == 0 {
		return false
	}
	return !slices.ContainsFunc(h.net.etcd.look(keys.Queue(modelPrefix, name)), func(k Key) bool { return k.Created == h.fences[name] })
}

// awake checks that a host which slept has ended, before anything else, each
// session whose lock somebody else got meanwhile.
func (h *history) awake(ho *host) {
	for who, c := range h.clients {
		for name, fence := range c.held {
			if other := h.holders[name]; c.host == ho && other != who && !h.robbed[fence] {
				h.fail("P3: %s woke up and still holds %q, which is held by %s", who, name, other)
			}
		}
	}
}

// expired checks that nobody holds anything by a lease that ends by itself.
func (h *history) expired(ho *host, lease int64) {
	l := ho.m.leases[lease]
	if l == nil || ho.dead || ho.asleep > 0 {
		return
	}
	for _, e := range l.entries {
		if e.session != nil && e.request == nil {
			h.fail("P3: session %d holds %q until after its lease", e.session.id, e.name())
		}
	}
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
	if len(c.asked) == 0 {
		h.fail("%s is granted what it does not wait for", c.who())
	}
	for _, name := range c.asked {
		c.held[name] = a.Fence
		h.hold(name, c.who(), a.Fence)
	}
	c.asked = nil
}

func (h *history) refused(ho *host, a Refused) {
	c := h.of(ho, a.Session)
	h.note("%s is refused: %v", c.who(), a.Err)
	if len(c.asked) == 0 {
		c.asks--
	}
	c.asked = nil
}

func (h *history) released(ho *host, a Released) { h.of(ho, a.Session).asks-- }

func (h *history) lost(ho *host, a Lost) {
	c := h.of(ho, a.Session)
	h.note("%s is lost: %s", c.who(), a.Reason)
	if a.Reason == DeadlineOver {
		for name, fence := range c.held {
			h.margins[name] = margin{ho, fence, h.marginOf(c)}
		}
	}
	h.free(c.names(), c.who())
	delete(h.clients, c.who())
}

// marginOf is until when a client may act whose deadline has just come: the time
// at which etcd can end the lease. A host that slept may have slept through it.
func (h *history) marginOf(c *client) (until time.Duration) {
	for _, l := range c.host.m.leases {
		has := slices.ContainsFunc(l.entries, func(e *entry) bool { return c.held[e.name()] == e.rev })
		if has && l.state == dead {
			until = earliest(until, l.deadline-c.host.offset)
		}
	}
	return until
}

// upgraded has a host's clients belong to the one that goes on.
func (h *history) upgraded(from, to *host) {
	for _, c := range h.clients {
		if c.host == from {
			c.host = to
		}
	}
	for name, m := range h.margins {
		if m.host == from {
			h.margins[name] = margin{to, m.fence, m.until}
		}
	}
}

// crashed frees what a host's clients held, and what lingers there: the next start
// revokes at once.
func (h *history) crashed(ho *host) {
	maps.DeleteFunc(h.margins, func(_ string, m margin) bool { return m.host == ho })
	for who, c := range h.clients {
		if c.host == ho {
			h.free(c.names(), who)
			delete(h.clients, who)
		}
	}
}

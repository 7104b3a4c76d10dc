package faults_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"lockside/daemon/faults/netns"
	"lockside/ipc"
)

// TestCase_consul18271_HolderPartitioned: a host whose packets vanish, or whose link is
// down, ends its sessions before another host has their locks, and not when TCP gives up.
func TestCase_consul18271_HolderPartitioned(t *testing.T) {
	t.Parallel()
	b := newBench(t, longTTL, ttl)
	well, cutOff := b.sites[0], b.sites[1]
	for _, c := range cuts() {
		if c.name != "host cut off, DROP" && c.name != "link down" {
			continue
		}
		s := newSuccession(t, "nightly", b.told, cutOff.host, well.host)
		left := s.holder.check("nightly", s.held)
		began := now()
		if err := c.cut(b, cutOff); err != nil {
			t.Fatal(err)
		}
		ended, granted := s.passes(ipc.ReasonDeadline)
		t.Logf("%s: end-of-file after %v with %v left, and %v before the next grant", c.name, ended-began, left, granted-ended)
		if granted-ended < margin/2 {
			t.Errorf("%s: end-of-file came only %v before the next grant", c.name, granted-ended)
		}
		if ended-began > ttl {
			t.Errorf("%s: end-of-file after %v, want at most the TTL", c.name, ended-began)
		}
		if err := c.end(b, cutOff); err != nil {
			t.Fatal(err)
		}
		s.finish()
	}
}

// TestCase_consul8736_FlappingLink: the link of a host comes and goes. The lock goes back
// and forth, and never is at two hosts.
func TestCase_consul8736_FlappingLink(t *testing.T) {
	t.Parallel()
	b := newBench(t, ttl, ttl)
	seed := seed(t)
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	crowd := &crowd{told: b.told}
	var all sync.WaitGroup
	for _, s := range b.sites {
		all.Go(func() { crowd.takeTurns(ctx, t, s.host) })
	}
	random := random(seed, 0)
	for ctx.Err() == nil {
		if err := b.sites[1].at.Down(); err != nil {
			t.Error(err)
		}
		time.Sleep(300*time.Millisecond + time.Duration(random.Int64N(int64(time.Second))))
		if err := b.sites[1].at.Up(); err != nil {
			t.Error(err)
		}
		time.Sleep(300*time.Millisecond + time.Duration(random.Int64N(int64(time.Second))))
	}
	all.Wait()
	t.Logf("%d sessions lost", crowd.lost.Load())
	if b.told.count() == 0 {
		t.Error("nobody had the lock while the link flapped")
	}
	for _, s := range b.sites {
		c, g := s.lock(t, "crowded")
		b.told.has(b.told.client("last"), s.config.Host, "crowded", g, 0)
		c.unlock("crowded")
	}
}

// TestCase_patroni3335_MemberOutOfTouch: the member that a daemon is attached to loses its
// peers, and goes on to accept connections and requests. The daemon goes elsewhere.
func TestCase_patroni3335_MemberOutOfTouch(t *testing.T) {
	t.Parallel()
	b := newBench(t, awayTTL, awayTTL)
	all := b.vigils(t)
	renewAll(t, all)
	sick := b.leader(t) // daemons prefer it
	for i := range b.members {
		if i != sick {
			b.Between(netns.Link{Loss: 1}, b.members[sick:sick+1], b.members[i:i+1])
		}
	}
	least := renewAll(t, all)
	t.Logf("at least %v were left", least)
	began := now()
	c, _ := b.sites[0].lock(t, "meanwhile")
	c.unlock("meanwhile")
	if took := now() - began; took > 2*atOnce {
		t.Errorf("locked and released in %v", took)
	}
	endAll(all)
}

// TestCase_etcd7321_SilentBreak: every packet to etcd vanishes for longer than any lease.
// When they get through again, nobody waits for TCP to notice.
func TestCase_etcd7321_SilentBreak(t *testing.T) {
	t.Parallel()
	b := newBench(t, ttl)
	h := b.sites[0]
	holder, g := h.lock(t, "nightly")
	b.Between(netns.Link{Loss: 1}, b.members, b.Hosts()[3:])
	holder.lost(ipc.ReasonDeadline)
	waiting := h.waitUnseen(t, "nightly")
	waiting.stillOpen(8 * time.Second)
	b.Heal()
	began := now()
	if next := waiting.granted(); next.fence <= g.fence {
		t.Errorf("fence %d after %d", next.fence, g.fence)
	}
	took := now() - began
	t.Logf("granted %v after the network was well", took)
	if took > 2*atOnce {
		t.Errorf("granted only %v after the network was well", took)
	}
}

// TestCase_milvus49530_LittleLoss: one packet in a hundred is lost. That is no reason to
// lose a lock.
func TestCase_milvus49530_LittleLoss(t *testing.T) {
	t.Parallel()
	b := newBench(t, ttl, ttl)
	b.Set(netns.Link{Loss: 0.01}, b.Hosts(), b.Hosts())
	all := b.vigils(t)
	for range 4 {
		renewAll(t, all)
	}
	endAll(all)
}

// TestCase_curator206_ClientThatDoesNotListen: a client is frozen while its lock is lost
// and granted to another. It wakes up and writes, and only the resource can refuse that.
func TestCase_curator206_ClientThatDoesNotListen(t *testing.T) {
	t.Parallel()
	b := newBench(t, longTTL, ttl)
	well, cutOff := b.sites[0], b.sites[1]
	store := b.told.resource("nightly")
	deaf, held := cutOff.lock(t, "nightly")
	if _, denied := store.use(held.fence, true); denied {
		t.Fatal("the holder is refused")
	}
	waiter := well.wait(t, "nightly")
	b.Between(netns.Link{Loss: 1}, b.members, []*netns.Host{cutOff.at})
	eventually(t, patience, "end of the session", deaf.over) // which the client does not read
	next := waiter.granted()
	claimed, denied := store.use(next.fence, true)
	if denied || next.fence <= held.fence {
		t.Errorf("the next holder is refused with fence %d after %d", next.fence, held.fence)
	}
	if _, denied := store.use(held.fence, true); !denied {
		t.Error("the late write is accepted")
	}
	if value, _ := store.use(next.fence, false); value != claimed {
		t.Errorf("the resource holds %d after %d was written", value, claimed)
	}
	if reason, err := deaf.end(); err != nil || reason != ipc.ReasonDeadline {
		t.Errorf("what it could have read is %q, %v", reason, err)
	}
}

package faults_test

import (
	"testing"
	"time"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// rides has a lock of each host held, and waited for at the next one, while something
// happens and until all leases were renewed after it. Nothing may be lost.
func rides(t testing.TB, hosts []*host, happens func()) {
	t.Helper()
	b := &bench{told: newRecord(t)}
	for _, h := range hosts {
		b.sites = append(b.sites, &site{host: h})
	}
	all := b.vigils(t)
	renewAll(t, all)
	happens()
	renewAll(t, all)
	endAll(all)
	for _, v := range all {
		v.witness.hangUp()
	}
}

// riders are two hosts whose TTL has room for an election.
func riders(t *testing.T, endpoints []string) []*host {
	t.Helper()
	return []*host{rider(t, "a", endpoints), rider(t, "b", endpoints)}
}

// TestCase_patroni3403_AllMembersGone: with every member dead the sessions end when the
// deadline less margin has come, once, and not at the first refused connection. The
// pauses between attempts, which grow meanwhile, do not hide the moment.
func TestCase_patroni3403_AllMembersGone(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	h := startHost(t, "a", cluster.Endpoints()...)
	holder, g := h.lock(t, "nightly")
	idle := h.dial(t)
	idle.ask("PING")
	holder.fresh("nightly", g)
	for _, m := range cluster.Members {
		m.Kill(t)
	}
	inTime(t)(holder.untilLost("nightly"))
	idle.ask("PING") // it held nothing to lose
	if left := idle.health(); left != "unavailable" {
		t.Errorf("STATUS says health=%s", left)
	}
}

// TestCase_consul912_StallOfAThird: etcd stands still for a third of the TTL, and for
// more, and the lock is held for TTLs after it.
func TestCase_consul912_StallOfAThird(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	hosts := riders(t, []string{member.Endpoint})
	rides(t, hosts, func() {
		freezeFor(t, member, rideTTL/3)
		holder, g := hosts[0].lock(t, "lasting")
		renewed(t, hosts...)
		lasts := now() + rideTTL
		freezeFor(t, member, rideTTL/2)
		for now() < lasts {
			holder.check("lasting", g)
			holder.stillOpen(200 * time.Millisecond)
		}
	})
}

// TestCase_consul830_ConnectionsReset: every connection to etcd breaks at once, again
// and again, and nothing is lost by it.
func TestCase_consul830_ConnectionsReset(t *testing.T) {
	t.Parallel()
	r := newRelay(t, etcdtest.StartCluster(t, 1).Members[0])
	hosts := []*host{startHost(t, "a", r.Endpoint), startHost(t, "b", r.Endpoint)}
	rides(t, hosts, func() {
		for range 3 {
			r.cut()
			c, _ := hosts[0].lock(t, "meanwhile")
			c.unlock("meanwhile")
			c.hangUp()
		}
	})
}

// TestCase_curator134_LongerTTLOutlastsTheOutage: an outage ends what had the shorter
// TTL, and what had the longer one is held through it.
func TestCase_curator134_LongerTTLOutlastsTheOutage(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := startHost(t, "a", member.Endpoint)
	long, kept := h.lock(t, "long ttl=30s")
	short, _ := h.lock(t, "short")
	member.Stop(t)
	short.lost(ipc.ReasonDeadline)
	long.check("long", kept)
	member.Cont(t)
	eventually(t, patience, "renewal", func() bool { return long.check("long", kept) > 20*time.Second })
	if next := h.dial(t).lock("LOCK short"); next.lease == kept.lease {
		t.Errorf("the lock of the shorter TTL hangs on lease %x too", next.lease)
	}
}

// TestCase_etcd19091_TimeLeftCountsDown: a client can ask how long its lock is safe.
// With etcd silent the time runs down to the loss, and asking does not stop it.
func TestCase_etcd19091_TimeLeftCountsDown(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := startHost(t, "a", member.Endpoint)
	holder, g := h.lock(t, "nightly")
	witness := h.dial(t)
	holder.fresh("nightly", g)
	member.Stop(t)
	holder.stillOpen(100 * time.Millisecond)                       // whatever was answered before has been read
	until := holder.check("nightly", g) + now() + time.Millisecond // which is the last digit
	last := ttl
	for {
		asked := now()
		left := witness.leaseLeft()
		if left <= 300*time.Millisecond {
			break // the next answer may be the end
		}
		if left > last || asked+left > until {
			t.Fatalf("%v are left after %v, %v before the end", left, last, until-asked)
		}
		last = left
		holder.stillOpen(10 * time.Millisecond)
	}
	holder.lost(ipc.ReasonDeadline)
}

// TestCase_redsync72_LateAnswerIsNoNewTime: renewals reach etcd, and their answers come
// too late. The time left falls all the same, and after the loss they revive nothing.
func TestCase_redsync72_LateAnswerIsNoNewTime(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	r := newRelay(t, member)
	h := startHost(t, "a", r.Endpoint)
	holder, g := h.lock(t, "nightly")
	holder.fresh("nightly", g)
	r.answers.close()
	inTime(t)(holder.untilLost("nightly"))
	r.answers.open()
	next := h.dial(t).lock("LOCK nightly")
	if next.fence <= g.fence || next.lease == g.lease {
		t.Errorf("after %+v came %+v", g, next)
	}
}

// TestCase_etcd18082_TimedWaitWithoutEtcd: who waits for a bounded time is answered
// when that is over, though etcd is silent, and nothing piles up behind it.
func TestCase_etcd18082_TimedWaitWithoutEtcd(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := startLasting(t, "a", member.Endpoint)
	c, _ := h.lock(t, "other")
	member.Stop(t)
	began := now()
	c.refused("LOCK z wait=1s", ipc.CodeUnavailable)
	if took := now() - began; took < time.Second || took > time.Second+atOnce {
		t.Errorf("answered after %v, want 1s", took)
	}
	for range 100 {
		if r, _ := c.ask("LOCK z wait=1ms"); r.Code != ipc.CodeUnavailable && r.Code != ipc.CodeTimeout {
			t.Errorf("without etcd LOCK is answered %s", r.Append(nil))
		}
	}
	member.Cont(t)
	c.lock("LOCK z")
	awaitQueue(t, member.Client(t), "z", 1)
	_, lines := c.ask("LIST scope=host")
	if len(lines) != 2 {
		t.Errorf("the host holds and waits for %v, want two", lines)
	}
}

// TestCase_etcd22123_ReleaseWhileEtcdIsAway: a release that fails is not forgotten. The
// name is free when etcd is back, whether its client waits for that or not.
func TestCase_etcd22123_ReleaseWhileEtcdIsAway(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	one, two := startLasting(t, "a", member.Endpoint), startLasting(t, "b", member.Endpoint)
	for name, release := range map[string]func(c *client){
		"unlocked":  func(c *client) { c.send("UNLOCK nightly") },
		"hung up":   func(c *client) { c.send("UNLOCK nightly"); c.hangUp() },
		"forgotten": func(c *client) { c.hangUp() },
	} {
		holder, held := one.lock(t, "nightly")
		waiter := two.wait(t, "nightly")
		member.Kill(t)
		release(holder)
		waiter.stillOpen(100 * time.Millisecond)
		member.Restart(t)
		if next := waiter.granted(); next.fence <= held.fence {
			t.Errorf("%s: fence %d after %d", name, next.fence, held.fence)
		}
		waiter.unlock("nightly")
		waiter.hangUp()
	}
}

// TestCase_sanlock48d2841_AnswerToReleaseLost: etcd has deleted the entry and its answer
// is lost. The name is free, and the daemon manages it no longer.
func TestCase_sanlock48d2841_AnswerToReleaseLost(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	etcd := member.Client(t)
	r := newRelay(t, member)
	h, other := startLasting(t, "a", r.Endpoint), startLasting(t, "b", member.Endpoint)
	holder, held := h.lock(t, "nightly")
	h.settled(t)
	swallow(r, func() {
		holder.send("UNLOCK nightly")
		awaitQueue(t, etcd, "nightly", 0)
	})
	next, g := other.lock(t, "nightly wait=0") // while the first daemon still finds out
	if g.fence <= held.fence {
		t.Errorf("fence %d after %d", g.fence, held.fence)
	}
	if reply, _, err := holder.reply(); err != nil || reply.Kind != ipc.KindOK {
		t.Errorf("UNLOCK is answered %s, %v", reply.Append(nil), err)
	}
	next.check("nightly", g)
	if _, lines := holder.ask("LIST scope=host"); len(lines) > 0 {
		t.Errorf("the host still has %v", lines)
	}
}

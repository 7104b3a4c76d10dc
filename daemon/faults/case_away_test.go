package faults_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

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

// TestCase_etcd22081_NoQuorumForAWhile: two of three members stop for half of a TTL.
// That there is no leader is no loss, for nobody on the host.
func TestCase_etcd22081_NoQuorumForAWhile(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	hosts := riders(t, cluster.Endpoints())
	third, g := startWith(t, "c", stormTTL, cluster.Endpoints()...).lock(t, "third")
	rides(t, hosts, func() {
		for _, m := range cluster.Members[:2] {
			m.Stop(t)
		}
		third.stillOpen(rideTTL / 2)
		for _, m := range cluster.Members[:2] {
			m.Cont(t)
		}
	})
	third.check("third", g)
}

// TestCase_etcd15247_LeaderStalls: a leader stands still for longer than an election
// takes, and comes back believing in its office. It costs no lock.
func TestCase_etcd15247_LeaderStalls(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	hosts := riders(t, cluster.Endpoints())
	for range 2 {
		rides(t, hosts, func() { freezeFor(t, cluster.Leader(t), 3*time.Second) })
	}
}

// TestCase_pd10746_LeaderHangs: a leader hangs for longer than the TTL, and the daemons
// that were attached to it renew elsewhere.
func TestCase_pd10746_LeaderHangs(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	leader := cluster.Leader(t)
	endpoints := []string{leader.Endpoint}
	for _, m := range followers(t, cluster) {
		endpoints = append(endpoints, m.Endpoint)
	}
	hosts := riders(t, endpoints)
	rides(t, hosts, func() {
		leader.Stop(t)
		hosts[0].dial(t).ask("PING")
		c, _ := hosts[0].lock(t, "meanwhile")
		c.stillOpen(rideTTL)
	})
}

// TestCase_etcd14631_StartWithAFrozenMember: a daemon starts, and locks, although the
// first member that it is told of has just stopped answering.
func TestCase_etcd14631_StartWithAFrozenMember(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	leader := cluster.Leader(t)
	endpoints := []string{leader.Endpoint}
	for _, m := range followers(t, cluster) {
		endpoints = append(endpoints, m.Endpoint)
	}
	leader.Stop(t)
	began := now()
	h := startHost(t, "a", endpoints...)
	h.lock(t, "nightly")
	if took := now() - began; took > 3*atOnce {
		t.Errorf("started and locked in %v", took)
	}
}

// TestCase_consul1290_MembersRestarted: during one hold every member is killed and
// started again, the connected one and the leader among them.
func TestCase_consul1290_MembersRestarted(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	hosts := riders(t, cluster.Endpoints())
	holder, g := startWith(t, "c", stormTTL, cluster.Endpoints()...).lock(t, "nightly")
	rides(t, hosts, func() {
		for _, m := range cluster.Members {
			m.Restart(t)
			holder.check("nightly", g)
		}
		cluster.Leader(t).Restart(t)
	})
	holder.check("nightly", g)
}

// TestCase_kubearchive1176_Defragmentation: the only member's store is blocked while it is
// written anew, with something in it to write.
func TestCase_kubearchive1176_Defragmentation(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1)
	etcd := cluster.Client(t)
	for i := range 8 {
		if _, err := etcd.Put(soon(t), fmt.Sprintf("bulk/%d", i), string(make([]byte, 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	rides(t, riders(t, cluster.Endpoints()), func() { defragment(t, cluster) })
}

// TestCase_etcd20589_SlowApplies: deletions of many keys at a time hold up what etcd
// does, and no lock is lost by it.
func TestCase_etcd20589_SlowApplies(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1)
	etcd := cluster.Client(t)
	rides(t, riders(t, cluster.Endpoints()), func() {
		bulk(t, etcd, 10_000)
	})
}

// TestCase_etcd12381_TimeLeftWhileLeadersMove: however many ask and whatever a leader
// says of leases that it has just taken over, no more time is left than was granted.
func TestCase_etcd12381_TimeLeftWhileLeadersMove(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	h := rider(t, "a", cluster.Endpoints())
	done := make(chan struct{})
	var asking sync.WaitGroup
	for i := range 4 {
		name := fmt.Sprintf("name-%d", i)
		c, g := h.lock(t, name)
		asking.Go(func() {
			for {
				if left := max(c.check(name, g), c.leaseLeft()); left > rideTTL-h.config.MarginOf(rideTTL) {
					t.Errorf("%v are left", left)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 3 {
		moveLeader(t, cluster)
	}
	close(done)
	asking.Wait()
}

// TestCase_CVE202633413_TokensEndWhileHeld: etcd looks at the token of each renewal. It
// ends while a lock is held, more than once, and nobody notices.
func TestCase_CVE202633413_TokensEndWhileHeld(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1, etcdtest.WithTokenTTL(1))
	enableLogin(t, cluster)
	var hosts []*host
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, cluster.Endpoints()...)
		h.config.TTL, h.config.User, h.config.Password = 2*ttl, "lock", "lock"
		h.run(t, nil)
		hosts = append(hosts, h)
	}
	rides(t, hosts, func() { time.Sleep(3 * time.Second) }) // as many tokens
}

// TestCase_consul985_DiskFull: etcd takes no more writes, as its quota is used up. What is
// held is held on and can be given up, nothing new is granted, and it says so in time.
func TestCase_consul985_DiskFull(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.WithQuota(2<<20))
	etcd := server.Client(t)
	h := rider(t, "a", []string{server.Endpoint})
	holder, g := h.lock(t, "nightly")
	released, _ := h.lock(t, "released")
	exhaust(t, etcd)
	lasts := now() + rideTTL
	for now() < lasts {
		holder.check("nightly", g)
		holder.stillOpen(200 * time.Millisecond)
	}
	released.unlock("released")
	c := h.dial(t)
	c.refused("LOCK other wait=1s", ipc.CodeUnavailable)
	holder.check("nightly", g)
	makeRoom(t, etcd, server.Endpoint)
	c.lock("LOCK other")
	holder.unlock("nightly")
}

// bulk writes many keys and deletes them in one step of etcd.
func bulk(t testing.TB, etcd *clientv3.Client, keys int) {
	t.Helper()
	for i := 0; i < keys; i += 100 {
		var puts []clientv3.Op
		for j := range 100 {
			puts = append(puts, clientv3.OpPut(fmt.Sprintf("bulk/%d", i+j), ""))
		}
		if _, err := etcd.Txn(soon(t)).Then(puts...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if resp, err := etcd.Delete(soon(t), "bulk/", clientv3.WithPrefix()); err != nil || resp.Deleted != int64(keys) {
		t.Fatalf("deleted %+v, %v", resp, err)
	}
}

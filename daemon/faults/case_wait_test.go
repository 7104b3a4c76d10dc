package faults_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// startLasting runs a daemon whose leases no test outlasts.
func startLasting(t testing.TB, name string, endpoints ...string) *host {
	t.Helper()
	return startWith(t, name, longTTL, endpoints...)
}

// startWith runs a daemon with a default TTL.
func startWith(t testing.TB, name string, ttl time.Duration, endpoints ...string) *host {
	t.Helper()
	h := newHost(t, name, endpoints...)
	h.config.TTL = ttl
	h.run(t, nil)
	return h
}

// TestCase_core698_TwoClientsOnOneLease: two sessions of one host share a lease, and
// yet not a lock.
func TestCase_core698_TwoClientsOnOneLease(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	first, held := h.lock(t, "nightly")
	second := h.wait(t, "nightly")
	entries := awaitQueue(t, etcd, "nightly", 2)
	if entries[0].Lease != entries[1].Lease {
		t.Errorf("leases %x and %x are two", entries[0].Lease, entries[1].Lease)
	}
	h.dial(t).refused("LOCK nightly wait=0", ipc.CodeBusy)
	second.stillOpen(50 * time.Millisecond)
	first.unlock("nightly")
	if next := second.granted(); next.fence <= held.fence || next.key == held.key {
		t.Errorf("after %+v came %+v", held, next)
	}
}

// TestCase_etcd16221_RevokedWhileWaiting: the lease of a waiter is revoked in the
// moment in which its turn comes. Either it never had the lock or it loses it, and
// whoever comes next is alone.
func TestCase_etcd16221_RevokedWhileWaiting(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two, three := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint), startHost(t, "c", server.Endpoint)
	random := random(seed(t), 0)
	grants := 0
	for range 20 {
		holder, held := one.lock(t, "nightly")
		waiter := two.wait(t, "nightly")
		third := three.wait(t, "nightly")
		dead := awaitQueue(t, etcd, "nightly", 3)[1].Lease
		var both sync.WaitGroup
		both.Go(func() { holder.unlock("nightly") })
		time.Sleep(time.Duration(random.Int64N(int64(4 * time.Millisecond))))
		revoke(t, etcd, dead)
		both.Wait()
		reply, _, err := waiter.reply()
		if err == nil && reply.Kind == ipc.KindOK {
			grants++
			waiter.lost(revoked()...)
		} else if reply.Event != ipc.EventLost && !errors.Is(err, io.EOF) {
			t.Fatalf("the waiter is told %s, %v", reply.Append(nil), err)
		}
		next := third.granted()
		if next.fence <= held.fence {
			t.Errorf("fence %d after %d", next.fence, held.fence)
		}
		third.check("nightly", next)
		third.unlock("nightly")
		for _, c := range []*client{holder, third} {
			c.hangUp()
		}
	}
	t.Logf("%d of the waiters had the lock for a moment", grants)
	nothingLeft(t, etcd, atOnce)
}

// TestCase_curator462_CancelledWaits: waits that end in every way there is, at random
// moments, leave the queue as if they had never been.
func TestCase_curator462_CancelledWaits(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two := startLasting(t, "a", server.Endpoint), startLasting(t, "b", server.Endpoint) // no lease's end cleans up
	seed := seed(t)
	holder, held := one.lock(t, "nightly")
	var crowd sync.WaitGroup
	for i := range 8 {
		crowd.Go(func() {
			h, random := []*host{one, two}[i%2], random(seed, i)
			for range 15 {
				h.giveUpWaiting(t, random)
			}
		})
	}
	crowd.Wait()
	holder.check("nightly", held)
	if entries := awaitQueue(t, etcd, "nightly", 1); entries[0].CreateRevision != held.fence {
		t.Errorf("what is left is %v", entries)
	}
	next := two.wait(t, "nightly")
	holder.unlock("nightly")
	next.granted()
}

// giveUpWaiting waits for a lock that another holds, and ends it at a random moment.
func (h *host) giveUpWaiting(t testing.TB, random *rand.Rand) {
	c := h.dial(t)
	defer c.hangUp()
	after := time.Duration(random.Int64N(int64(8 * time.Millisecond)))
	switch random.IntN(3) {
	case 0:
		if r, _ := c.ask(fmt.Sprintf("LOCK nightly wait=%dms", 1+after.Milliseconds())); r.Code != ipc.CodeTimeout && r.Code != ipc.CodeUnavailable {
			t.Errorf("a LOCK that waits for %v is answered %s", after, r.Append(nil))
		}
	case 1:
		c.send("LOCK nightly")
		time.Sleep(after)
		c.send("CANCEL")
		if r, _, err := c.reply(); err != nil || r.Code != ipc.CodeCancelled {
			t.Errorf("a cancelled LOCK is answered %s, %v", r.Append(nil), err)
		}
		if _, _, err := c.reply(); err != nil {
			t.Error(err)
		}
	default:
		c.send("LOCK nightly")
		time.Sleep(after)
	}
}

// TestCase_etcd21128_CompactionWhileWaiting: history goes as fast as it is written,
// and a waiter of another host neither fails nor loses its place.
func TestCase_etcd21128_CompactionWhileWaiting(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 1)
	etcd := cluster.Client(t)
	one, two := startLasting(t, "a", cluster.Endpoints()...), startLasting(t, "b", cluster.Endpoints()...)
	holder, held := one.lock(t, "nightly")
	compact(t, cluster)
	waiter := two.wait(t, "nightly")
	place := awaitQueue(t, etcd, "nightly", 2)[1].CreateRevision
	compact(t, cluster)
	cluster.Members[0].Restart(t) // watches begin anew, at what is gone
	compact(t, cluster)
	waiter.stillOpen(50 * time.Millisecond)
	holder.check("nightly", held)
	began := now()
	holder.unlock("nightly")
	if next := waiter.granted(); next.fence != place {
		t.Errorf("fence %d for the place %d", next.fence, place)
	}
	if took := now() - began; took > patience/2 {
		t.Errorf("granted after %v", took)
	}
}

// TestCase_etcd17529_ManyWaiters: however many names are waited for, and whatever else
// is written, each waiter is granted at once.
func TestCase_etcd17529_ManyWaiters(t *testing.T) {
	t.Parallel()
	const names = 150
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	var holders, waiters []*client
	for i := range names {
		holder, _ := one.lock(t, fmt.Sprintf("name-%d", i))
		holders = append(holders, holder)
		waiters = append(waiters, two.waitUnseen(t, fmt.Sprintf("name-%d", i)))
	}
	eventually(t, patience, "all entries", func() bool {
		resp, err := etcd.Get(soon(t), "lockside/name-", clientv3.WithPrefix(), clientv3.WithCountOnly())
		return err == nil && resp.Count == 2*names
	})
	var writes sync.WaitGroup
	done := make(chan struct{})
	writes.Go(func() {
		for i := 0; ; i++ {
			if _, err := etcd.Put(soon(t), "other", fmt.Sprint(i)); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	began := now()
	for _, c := range holders {
		c.hangUp()
	}
	for _, c := range waiters {
		c.granted()
	}
	if took := now() - began; took > atOnce {
		t.Errorf("the last one was granted after %v", took)
	}
	close(done)
	writes.Wait()
}

// TestCase_etcd18163_WhoShowsTheFirst: a host that has missed who came and went shows
// the entry of the least create revision as the holder, as soon as it shows one.
func TestCase_etcd18163_WhoShowsTheFirst(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	r := newRelay(t, member)
	well, behind := startLasting(t, "well", member.Endpoint), startLasting(t, "behind", r.Endpoint)
	holder, _ := well.lock(t, "nightly")
	looker := behind.wait(t, "nightly") // so the host follows the queue
	second := well.wait(t, "nightly")
	r.answers.close()
	asking := behind.dial(t)
	asking.send("WHO nightly")
	looker.hangUp()
	holder.hangUp()
	third := well.wait(t, "nightly")
	r.answers.open()
	first := awaitQueue(t, member.Client(t), "nightly", 2)[0]
	second.granted()
	if last, _, err := asking.reply(); err != nil || last.Kind == ipc.KindEvent {
		t.Errorf("WHO is answered %s, %v", last.Append(nil), err)
	}
	_, entries := asking.ask("WHO nightly")
	if len(entries) != 2 || entries[0].Fields.Get("role") != "holder" || entries[0].Fields.Int("fence") != first.CreateRevision {
		t.Errorf("WHO shows %v, and %d is first", entries, first.CreateRevision)
	}
	third.hangUp()
}

// TestCase_kubernetes47671_TwoTTLs: a host that asks for short leases waits for a dead
// holder's longer one as long as that lasts.
func TestCase_kubernetes47671_TwoTTLs(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	dead, other := newHost(t, "dead", server.Endpoint), startHost(t, "b", server.Endpoint)
	process := dead.startDaemon(t)
	holder, held := dead.lock(t, "nightly ttl=7s")
	waiter := other.wait(t, "nightly")
	left := holder.check("nightly", held)
	process.kill()
	began := now()
	if next := waiter.granted(); next.fence <= held.fence {
		t.Errorf("fence %d after %d", next.fence, held.fence)
	}
	if took := now() - began; took < left {
		t.Errorf("granted after %v, while the holder was promised %v", took, left)
	}
}

// TestCase_consul2767_HandedOverAtOnce: a name that was released is free at once, and
// nobody who waits for it sleeps in the meantime.
func TestCase_consul2767_HandedOverAtOnce(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	hosts := []*host{startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)}
	holder, held := hosts[0].lock(t, "nightly")
	for i := range 10 {
		waiter := hosts[(i+1)%2].wait(t, "nightly")
		began := now()
		holder.unlock("nightly")
		next := waiter.granted()
		if took := now() - began; took > atOnce {
			t.Errorf("granted %v after the release", took)
		}
		if next.fence <= held.fence {
			t.Errorf("fence %d after %d", next.fence, held.fence)
		}
		holder.hangUp()
		holder, held = waiter, next
	}
}

package faults_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sys/unix"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// longTTL is one that no test waits for.
const longTTL = 10 * time.Minute

// TestPromise10FailClosed: a daemon that is killed is end-of-file for its
// clients at once, and its next run revokes what it left before it serves.
func TestPromise10FailClosed(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	other := startHost(t, "b", server.Endpoint)
	var last int64
	for range 3 {
		process := h.startDaemon(t)
		holder, g := h.lock(t, "nightly")
		waiter := h.wait(t, "nightly")
		short, _ := h.lock(t, "short ttl=5s")
		successor := other.wait(t, "nightly")
		awaitQueue(t, etcd, "nightly", 3)

		began := time.Now()
		process.kill()
		for _, c := range []*client{holder, waiter, short} {
			c.lost("")
		}
		if took := time.Since(began); took > atOnce {
			t.Errorf("end-of-file after %v", took)
		}
		successor.stillOpen(100 * time.Millisecond)
		began = time.Now()
		again := h.startDaemon(t)
		first := h.dial(t)
		first.send("LOCK nightly")
		next := successor.granted()
		t.Logf("granted %v after the start", time.Since(began))
		if took := time.Since(began); took > 2*atOnce {
			t.Errorf("granted only %v after the start", took)
		}
		if next.fence <= g.fence || g.fence <= last {
			t.Errorf("fences %d, %d and %d do not rise", last, g.fence, next.fence)
		}
		first.stillOpen(50 * time.Millisecond)
		successor.hangUp()
		last = first.granted().fence
		again.stop()
	}
}

// TestTermGivesEverythingBack: a daemon that is told to stop tells its clients,
// leaves no entry and no lease, and exits with 0, soon.
func TestTermGivesEverythingBack(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := newHost(t, "a", server.Endpoint)
	h.config.TTL = longTTL
	process := h.startDaemon(t)
	holder, _ := h.lock(t, "nightly")
	waiter := h.wait(t, "nightly")
	short, _ := h.lock(t, "short ttl=5s")
	idle := h.dial(t)
	idle.ask("PING")

	began := time.Now()
	process.signal(unix.SIGTERM)
	for _, c := range []*client{holder, waiter, short, idle} {
		c.lost(ipc.ReasonShutdown)
	}
	process.wait()
	if took := time.Since(began); took > 2*atOnce {
		t.Errorf("stopping took %v", took)
	}
	emptyStore(t, etcd)
}

// emptyStore holds that etcd has no lease and nothing below our prefix.
func emptyStore(t *testing.T, etcd *clientv3.Client) {
	t.Helper()
	leases, err := etcd.Leases(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(leases.Leases) > 0 {
		t.Errorf("leases left: %v", leases.Leases)
	}
	resp, err := etcd.Get(soon(t), "lockside/", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range resp.Kvs {
		t.Errorf("%s is left", kv.Key)
	}
}

// TestTermWithoutEtcd: a daemon that is told to stop while etcd is frozen stops
// in bounded time, and the next run gives back what it could not.
func TestTermWithoutEtcd(t *testing.T) {
	t.Parallel()
	member := etcdtest.StartCluster(t, 1).Members[0]
	h := newHost(t, "a", member.Endpoint)
	h.config.TTL = longTTL
	process := h.startDaemon(t)
	holder, _ := h.lock(t, "nightly")
	unlocking, _ := h.lock(t, "other")

	member.Stop(t)
	unlocking.send("UNLOCK other")
	waiter := h.waitUnseen(t, "nightly")
	waiter.stillOpen(50 * time.Millisecond)
	began := time.Now()
	process.signal(unix.SIGTERM)
	for _, c := range []*client{holder, waiter, unlocking} {
		c.lost(ipc.ReasonShutdown)
	}
	if took := time.Since(began); took > atOnce {
		t.Errorf("clients were told after %v", took)
	}
	process.wait()
	t.Logf("stopped in %v", time.Since(began))
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("stopping took %v", took)
	}
	member.Cont(t)
	again := h.startDaemon(t)
	h.lock(t, "nightly")
	again.stop()
	emptyStore(t, member.Client(t))
}

package daemon_test

import (
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/leases/etcdtest"
)

// TestPromise04LossIsSeen: whatever takes a lock away in etcd, its client reads
// the reason and end-of-file, soon, and nobody else reads anything.
func TestPromise04LossIsSeen(t *testing.T) {
	for name, loss := range map[string]struct {
		reason string
		cause  func(t *testing.T, etcd *clientv3.Client, key string, lease int64)
	}{
		"deleted": {"entry-deleted", func(t *testing.T, etcd *clientv3.Client, key string, _ int64) {
			if _, err := etcd.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}},
		"overwritten": {"entry-deleted", func(t *testing.T, etcd *clientv3.Client, key string, _ int64) {
			if _, err := etcd.Put(t.Context(), key, "mine"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = etcd.Delete(t.Context(), key) })
		}},
		"revoked": {"lease-revoked", func(t *testing.T, etcd *clientv3.Client, _ string, lease int64) {
			if _, err := etcd.Revoke(t.Context(), clientv3.LeaseID(lease)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, waits := range []bool{false, true} {
			t.Run(name+" waiter="+strconv.FormatBool(waits), func(t *testing.T) {
				h, bystander := beside(t)
				c, first := h.dial(), h.dial()
				if waits {
					// An own TTL, so an own lease: a revoked one takes only this entry.
					first.lock("a")
					c.send("LOCK a ttl=20s")
				} else {
					c.ask("LOCK a ttl=20s", "OK fence=<int> cluster=<hex> lease=<hex> ttl=20s until=<duration> key=lockside/a/<key>")
				}
				key, lease := h.entryOf(t, "lockside/a/", waits)
				start := time.Now()
				loss.cause(t, h.etcd, key, lease)
				c.expect("! LOST reason="+loss.reason, "<eof>")
				if took := time.Since(start); took > time.Second {
					t.Errorf("it was seen after %v", took)
				}
				first.Close()
				bystander.undisturbed()
			})
		}
	}
}

// entryOf finds the newest entry of a queue, the second one if asked for.
func (h *host) entryOf(t *testing.T, queue string, second bool) (key string, lease int64) {
	t.Helper()
	want := 1
	if second {
		want = 2
	}
	var resp *clientv3.GetResponse
	await(t, func() (so bool) {
		var err error
		resp, err = h.etcd.Get(t.Context(), queue, clientv3.WithPrefix(),
			clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortDescend))
		return err == nil && len(resp.Kvs) == want
	}, "entries of "+queue, func() any { return resp })
	return string(resp.Kvs[0].Key), resp.Kvs[0].Lease
}

// TestPromise04Stop: a daemon that stops tells its clients, holders and waiters
// and those that come while it stops, and leaves nothing in etcd.
func TestPromise04Stop(t *testing.T) {
	member := etcdtest.Start(t)
	h := serve(t, member)
	holder, waiter, idle, deaf := h.dial(), h.dial(), h.dial(), h.dial()
	holder.lock("a")
	waiter.send("LOCK a")
	deaf.lock("b")
	fill(t, deaf, "HELP")
	idle.awaitCounts("sessions=4 held=2 waiting=1")
	h.end()
	for _, c := range []*client{holder, waiter, idle} {
		c.expect("! LOST reason=shutdown", "<eof>")
	}
	resp, err := h.etcd.Get(t.Context(), "lockside/", clientv3.WithPrefix())
	if err != nil || len(resp.Kvs) > 0 {
		t.Errorf("a stopped daemon left %v, %v", resp.Kvs, err)
	}
	leases, err := h.etcd.Leases(t.Context())
	if err != nil || len(leases.Leases) > 0 {
		t.Errorf("a stopped daemon left leases %v, %v", leases, err)
	}
}

// TestStopAmidArrivals: sessions that begin while the daemon stops read their
// end as all others do, and do not hold it up.
func TestStopAmidArrivals(t *testing.T) {
	member := etcdtest.Start(t)
	for range 5 {
		h := serve(t, member)
		var arrivals sync.WaitGroup
		var arrived atomic.Int64
		for range 4 {
			arrivals.Go(func() {
				for h.arrive(&arrivals) && arrived.Add(1) < 2000 {
				}
			})
		}
		await(t, func() bool { return arrived.Load() > 100 }, "arrivals", func() any { return arrived.Load() })
		h.end()
		arrivals.Wait()
	}
}

// arrive begins a session that waits for nothing but its end. It reports whether
// there was a daemon to connect to.
func (h *host) arrive(readers *sync.WaitGroup) bool {
	conn, err := net.Dial("unix", h.socket)
	if err != nil {
		return false
	}
	readers.Go(func() {
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(2 * patience))
		text, err := io.ReadAll(conn)
		lost := string(text) == "! LOST reason=shutdown\n"
		refused := len(text) == 0 && errors.Is(err, syscall.ECONNRESET) // it was not accepted any more
		if !lost && !refused {
			h.t.Errorf("a session that began while the daemon stopped read %q and %v", text, err)
		}
	})
	return true
}

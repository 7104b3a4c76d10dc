package faults_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// A tampering is what somebody else does to an entry in etcd.
type tampering struct {
	name   string
	reason ipc.Reason
	do     func(t *testing.T, etcd *clientv3.Client, key string, lease int64) error
}

func tamperings() []tampering {
	return []tampering{
		{"revoke", ipc.ReasonLeaseRevoked, func(t *testing.T, etcd *clientv3.Client, _ string, lease int64) error {
			_, err := etcd.Revoke(soon(t), clientv3.LeaseID(lease))
			return err
		}},
		{"delete", ipc.ReasonEntryDeleted, func(t *testing.T, etcd *clientv3.Client, key string, _ int64) error {
			_, err := etcd.Delete(soon(t), key)
			return err
		}},
		{"overwrite", ipc.ReasonEntryDeleted, func(t *testing.T, etcd *clientv3.Client, key string, _ int64) error {
			_, err := etcd.Put(soon(t), key, "mine")
			return err
		}},
	}
}

// TestPromise04LossIsSeen: a client whose entry or lease is taken away reads
// the reason and end-of-file in under a second, whether it holds or waits.
func TestPromise04LossIsSeen(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	for _, wrong := range tamperings() {
		t.Run("holder/"+wrong.name, func(t *testing.T) {
			wrong.loses(t, etcd, func(t *testing.T) (*client, string, int64) {
				c, g := one.lock(t, "nightly")
				time.Sleep(200 * time.Millisecond) // it is watched by then
				return c, g.key, g.lease
			})
		})
		t.Run("young holder/"+wrong.name, func(t *testing.T) {
			wrong.loses(t, etcd, func(t *testing.T) (*client, string, int64) {
				c, g := one.lock(t, "nightly")
				return c, g.key, g.lease
			})
		})
		t.Run("waiter/"+wrong.name, func(t *testing.T) {
			holder, g := one.lock(t, "nightly")
			wrong.loses(t, etcd, func(t *testing.T) (*client, string, int64) {
				waiter := two.wait(t, "nightly")
				entry := awaitQueue(t, etcd, "nightly", 2)[1]
				return waiter, string(entry.Key), entry.Lease
			})
			holder.check("nightly", g)
			holder.hangUp()
			awaitQueue(t, etcd, "nightly", 0)
		})
	}
	t.Run("waiter beside its holder", func(t *testing.T) {
		holder, g := one.lock(t, "nightly")
		tamperings()[1].loses(t, etcd, func(t *testing.T) (*client, string, int64) {
			waiter := one.wait(t, "nightly")
			entry := awaitQueue(t, etcd, "nightly", 2)[1]
			return waiter, string(entry.Key), entry.Lease
		})
		holder.check("nightly", g)
	})
}

// loses does it to a client, which has to be told at once and why. A daemon that
// does not hear soon whether the lease is still there takes it that the entry
// alone was deleted; it may be too busy for a few times.
func (w tampering) loses(t *testing.T, etcd *clientv3.Client, prepare func(*testing.T) (c *client, key string, lease int64)) {
	t.Helper()
	for range 5 {
		c, key, lease := prepare(t)
		began := time.Now()
		if err := w.do(t, etcd, key, lease); err != nil {
			t.Fatal(err)
		}
		reason, err := c.end()
		if took := time.Since(began); took > atOnce {
			t.Errorf("the loss was told after %v", took)
		}
		switch {
		case err == nil && reason == w.reason:
			return
		case err != nil || reason != ipc.ReasonEntryDeleted:
			t.Fatalf("lost by %q, %v; want %q", reason, err, w.reason)
		}
	}
	t.Errorf("never lost by %q", w.reason)
}

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
			_, err := etcd.Revoke(t.Context(), clientv3.LeaseID(lease))
			return err
		}},
		{"delete", ipc.ReasonEntryDeleted, func(t *testing.T, etcd *clientv3.Client, key string, _ int64) error {
			_, err := etcd.Delete(t.Context(), key)
			return err
		}},
		{"overwrite", ipc.ReasonEntryDeleted, func(t *testing.T, etcd *clientv3.Client, key string, _ int64) error {
			_, err := etcd.Put(t.Context(), key, "mine")
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
			c, g := one.lock(t, "nightly")
			wrong.loses(t, etcd, c, g.key, g.lease)
			awaitQueue(t, etcd, "nightly", 0)
		})
		t.Run("young holder/"+wrong.name, func(t *testing.T) {
			for range 5 { // before and while the watch is opened
				c, g := one.lock(t, "nightly")
				wrong.loses(t, etcd, c, g.key, g.lease)
			}
		})
		t.Run("waiter of another host/"+wrong.name, func(t *testing.T) {
			holder, g := one.lock(t, "nightly")
			waiter := two.wait(t, "nightly")
			entry := awaitQueue(t, etcd, "nightly", 2)[1]
			wrong.loses(t, etcd, waiter, string(entry.Key), entry.Lease)
			holder.check("nightly", g)
			holder.hangUp()
			awaitQueue(t, etcd, "nightly", 0)
		})
	}
	t.Run("waiter of the same host", func(t *testing.T) {
		holder, g := one.lock(t, "nightly")
		waiter := one.wait(t, "nightly")
		entry := awaitQueue(t, etcd, "nightly", 2)[1]
		tamperings()[1].loses(t, etcd, waiter, string(entry.Key), entry.Lease)
		holder.check("nightly", g)
	})
}

// loses does it, and expects the client to be told at once.
func (w tampering) loses(t *testing.T, etcd *clientv3.Client, c *client, key string, lease int64) {
	t.Helper()
	began := time.Now()
	if err := w.do(t, etcd, key, lease); err != nil {
		t.Fatal(err)
	}
	c.lost(w.reason)
	if took := time.Since(began); took > atOnce {
		t.Errorf("the loss was told after %v", took)
	}
}

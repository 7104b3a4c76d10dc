package etcd_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// notebook keeps what Seen is told.
type notebook struct {
	mu     sync.Mutex // guards memory
	memory etcd.Memory
}

func (n *notebook) write(cluster uint64, revision int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.memory = etcd.Memory{ClusterID: cluster, Revision: revision}
}

func (n *notebook) read() etcd.Memory {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.memory
}

// expectRegressed checks that a client does nothing any more but revoke.
func expectRegressed(t *testing.T, c *etcd.Client) {
	t.Helper()
	_, txn := c.Txn(soon(t), then(put("a", "1", 0)))
	_, read := c.Read(soon(t), then(get("a")))
	_, ranged := c.Range(soon(t), &pb.RangeRequest{Key: []byte("a")})
	_, _, grant := c.Grant(soon(t), 1, time.Minute)
	_, lease := c.Lease(soon(t), 1)
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	_, _, renew := r.Renew(soon(t), 0)
	for name, err := range map[string]error{"txn": txn, "read": read, "range": ranged, "grant": grant, "lease": lease, "renew": renew} {
		if !errors.Is(err, etcd.ErrRegressed) {
			t.Errorf("%s gives %v, want %v", name, err, etcd.ErrRegressed)
		}
	}
	if err := c.Revoke(soon(t), 1); err != nil {
		t.Errorf("revoke: %v", err)
	}
	if err := c.Status().Regressed; !errors.Is(err, etcd.ErrRegressed) {
		t.Errorf("status says %v", err)
	}
}

func TestRestoredBackupIsARegression(t *testing.T) {
	s := etcdtest.Start(t)
	var seen notebook
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}, Seen: seen.write})
	mustTxn(t, c, put("a", "1", 0))
	s.Stop()
	backup := s.Backup(t)
	s.Restart(t)
	if _, err := c.Read(soon(t), then(get("a"))); err != nil {
		t.Fatalf("a restart is no regression: %v", err)
	}
	last := mustTxn(t, c, put("a", "2", 0))
	if got := seen.read(); got.Revision != last || got.ClusterID == 0 || got.ClusterID != c.Status().ClusterID {
		t.Errorf("seen %+v, want revision %d of cluster %x", got, last, c.Status().ClusterID)
	}

	s.Restore(t, backup)
	if _, err := c.Read(soon(t), then(get("a"))); !errors.Is(err, etcd.ErrRegressed) {
		t.Errorf("read from the backup gives %v, want %v", err, etcd.ErrRegressed)
	}
	expectRegressed(t, c)
	if got := seen.read().Revision; got != last {
		t.Errorf("remembered %d, want %d", got, last)
	}

	again := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}, Remembered: seen.read()})
	expectRegressed(t, again)
	accepted := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	mustTxn(t, accepted, put("a", "3", 0))
}

func TestAnotherClusterAtTheSameAddressIsARegression(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	mustTxn(t, c, put("a", "1", 0))
	s.Replace(t, etcdtest.WithClusterToken("another"))
	eventually(t, "the other cluster to be noticed", func() bool { return c.Status().Regressed != nil })
	expectRegressed(t, c)
}

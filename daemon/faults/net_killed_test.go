package faults_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// soonAgain is how soon after its start a daemon that was killed has given back
// what it left. The median has to keep to it: a busy machine may take longer to
// start a process.
const soonAgain = time.Second

// TestDaemonKilled: the clients of a daemon that is killed read end-of-file at
// once. Its locks are free soon after it is started again, and otherwise once
// etcd has found its lease to be over.
func TestDaemonKilled(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	well := startHost(t, "well", cluster.Endpoints()...)
	k := &killer{t: t, told: newRecord(t), well: well, seed: seed(t)}
	var crowd sync.WaitGroup
	for i := range 3 {
		h := newHost(t, fmt.Sprintf("killed-%d", i), cluster.Endpoints()...)
		crowd.Go(func() { k.run(i, h) })
	}
	crowd.Wait()
	k.told.nothingLeft(cluster.Client(t))
	t.Log(&k.bounds)
	if took := slices.Sorted(slices.Values(k.restarted)); len(took) > 0 {
		t.Logf("free after the restart: %s", quantiles(took))
		if took[len(took)/2] > soonAgain {
			t.Errorf("half of the locks were free only %v after the daemon's start", took[len(took)/2])
		}
	}
}

// A killer kills daemons.
type killer struct {
	t      testing.TB
	told   *record
	well   *host
	seed   uint64
	bounds bounds

	mu        sync.Mutex // guards restarted
	restarted []time.Duration
}

// run kills a host's daemon its share of times.
func (k *killer) run(i int, h *host) {
	k.t.Helper()
	random := random(k.seed, i)
	for round := i; round < *kills; round += 3 {
		for _, restart := range []bool{true, false} {
			h.config.TTL = ttl
			if restart {
				h.config.TTL = longTTL
			}
			process := h.startDaemon(k.t)
			s := newSuccession(k.t, fmt.Sprintf("name-%d", i), k.told, h, k.well)
			if s.early(time.Duration(random.Int64N(int64(ttl / 2)))) {
				k.t.Fatal("lost before it was killed")
			}
			began := now()
			process.kill()
			k.round(s, h, began, restart)
		}
	}
}

// round measures what follows a kill.
func (k *killer) round(s *succession, h *host, began time.Duration, restart bool) {
	k.t.Helper()
	name := "daemon killed, and not started again, TTL 4 s"
	if restart {
		name = "daemon killed, and started again"
	}
	var again *process
	started := now()
	var wait sync.WaitGroup
	if restart {
		wait.Go(func() { again = h.startDaemon(k.t) })
	}
	ended, granted := s.passes("")
	k.bounds.add(name, ended-began, granted-began)
	s.finish()
	if wait.Wait(); again != nil {
		k.mu.Lock()
		k.restarted = append(k.restarted, granted-started)
		k.mu.Unlock()
		again.stop()
	}
}

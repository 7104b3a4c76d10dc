package faults_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/leases/etcdtest"
)

// stormTTL outlasts a stall of a leader and the elections around it.
const stormTTL = 15 * time.Second

// TestStorm: leaders are moved, history is compacted and stores are defragmented
// without a pause while one member after the other stalls for five seconds. No
// lock is lost, and others change hands all the while.
func TestStorm(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	b := &bench{cluster: cluster, told: newRecord(t)}
	for _, name := range []string{"a", "b"} {
		h := newHost(t, name, cluster.Endpoints()...)
		h.config.TTL = stormTTL
		h.run(t, nil)
		b.sites = append(b.sites, &site{host: h})
	}
	all := b.vigils(t)
	ctx, cancel := context.WithTimeout(t.Context(), *stormFor)
	defer cancel()
	var weather sync.WaitGroup
	s := &storm{cluster: cluster, etcd: cluster.Client(t)}
	seed := seed(t)
	for i, what := range []func(context.Context, testing.TB, *rand.Rand){s.move, s.compact, s.defragment, s.stall} {
		weather.Go(func() { what(ctx, t, random(seed, i)) })
	}
	for i, site := range b.sites {
		m := member{who: site.config.Host, told: b.told, random: random(seed, 10+i)}
		weather.Go(func() { m.sessions(ctx, t, site.host) })
	}
	weather.Wait()
	least := renewAll(t, all)
	t.Logf("%d moves of the leader, %d compactions, %d defragmentations and %d stalls; %d grants; %v left",
		s.moves.Load(), s.compactions.Load(), s.defragmentations.Load(), s.stalls.Load(), b.told.count(), least)
	for _, n := range []*atomic.Int64{&s.moves, &s.compactions, &s.defragmentations, &s.stalls} {
		if n.Load() == 0 {
			t.Error("that was no storm")
		}
	}
	endAll(all)
	b.told.nothingLeft(s.etcd)
}

// A storm does what it can to a cluster, and counts what it could.
type storm struct {
	cluster *etcdtest.Cluster
	etcd    *clientv3.Client

	moves, compactions, defragmentations, stalls atomic.Int64
}

// again does something until the context ends, with a pause between. What a
// member that stalls does not answer is given up.
func again(ctx context.Context, pause time.Duration, count *atomic.Int64, do func(context.Context) error) {
	for ctx.Err() == nil {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		if do(try) == nil {
			count.Add(1)
		}
		cancel()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (s *storm) move(ctx context.Context, t testing.TB, random *rand.Rand) {
	again(ctx, 300*time.Millisecond, &s.moves, func(ctx context.Context) error { return s.moveTo(ctx, t, random.IntN(3)) })
}

func (s *storm) moveTo(ctx context.Context, t testing.TB, member int) error {
	status, err := s.etcd.Status(ctx, s.cluster.Members[member].Endpoint)
	if err != nil {
		return err
	}
	_, err = s.cluster.Leader(t).Client(t).MoveLeader(ctx, status.Header.MemberId)
	return err
}

func (s *storm) compact(ctx context.Context, _ testing.TB, _ *rand.Rand) {
	again(ctx, 20*time.Millisecond, &s.compactions, s.compactAll)
}

// compactAll leaves no history.
func (s *storm) compactAll(ctx context.Context) error {
	resp, err := s.etcd.Put(ctx, "other", "value")
	if err != nil {
		return err
	}
	_, err = s.etcd.Compact(ctx, resp.Header.Revision, clientv3.WithCompactPhysical())
	return err
}

func (s *storm) defragment(ctx context.Context, _ testing.TB, random *rand.Rand) {
	again(ctx, 300*time.Millisecond, &s.defragmentations, func(ctx context.Context) error {
		return s.defragmentOne(ctx, random.IntN(3))
	})
}

func (s *storm) defragmentOne(ctx context.Context, member int) error {
	_, err := s.etcd.Defragment(ctx, s.cluster.Members[member].Endpoint)
	return err
}

// stall freezes one member at a time: two would leave no majority.
func (s *storm) stall(ctx context.Context, t testing.TB, random *rand.Rand) {
	again(ctx, 2*time.Second, &s.stalls, func(context.Context) error {
		m := s.cluster.Members[random.IntN(3)]
		m.Stop(t)
		time.Sleep(5 * time.Second)
		m.Cont(t)
		return nil
	})
}

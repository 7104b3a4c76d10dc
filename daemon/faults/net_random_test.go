package faults_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"lockside/ipc"
)

// TestRandomFaults: the clients of three sites take and give up a few names in all
// ways there are, while whatever can go wrong does, by a schedule that is made of
// the seed. No promise is broken, and once all is well again everybody is served
// and nothing is left.
func TestRandomFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, ttl, 6*time.Second, awayTTL)
	seed := seed(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var crowd, chaos sync.WaitGroup
	c := &customers{t: t, told: b.told, lost: map[ipc.Reason]int{}}
	for i, s := range b.sites {
		for j := range 5 {
			w := &customer{customers: c, site: s, who: fmt.Sprintf("%s/%d", s.config.Host, j), random: random(seed, 100+10*i+j)}
			crowd.Go(func() { w.run(ctx) })
		}
	}
	for i, lane := range b.lanes(t) {
		chaos.Go(func() { follow(t, schedule(random(seed, i), lane, *randomFor)) })
	}
	chaos.Wait()
	b.Heal()
	cancel()
	crowd.Wait()
	b.told.nothingLeft(b.cluster.Client(t))
	t.Logf("%d grants, and sessions lost by reason: %v", b.told.count(), c.lost)
	if b.told.count() == 0 {
		t.Error("nobody was granted anything")
	}
}

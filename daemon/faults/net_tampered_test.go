package faults_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// TestBoundsOfTampering measures how soon a client is told that somebody has
// revoked its lease or deleted its entry. Etcd frees the name at that moment, so
// the next holder may be there first, and only the fence tells the two apart.
func TestBoundsOfTampering(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	etcd := cluster.Client(t)
	one, two := startHost(t, "a", cluster.Endpoints()...), startHost(t, "b", cluster.Endpoints()...)
	random := random(seed(t), 0)
	var measured bounds
	for _, wrong := range tamperings()[:2] {
		for range *tampers {
			holder, held := one.lock(t, "nightly")
			waiter := two.wait(t, "nightly")
			time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
			began := now()
			if err := wrong.do(t, etcd, held.key, held.lease); err != nil {
				t.Fatal(err)
			}
			ended, next, granted, _ := bothEnds(holder, waiter)
			measured.add("somebody does: "+wrong.name, ended-began, granted-began)
			if next.fence <= held.fence {
				t.Errorf("fence %d after %d", next.fence, held.fence)
			}
			waiter.unlock("nightly")
			waiter.hangUp()
		}
	}
	t.Log(&measured)
}

// TestBoundsOfAStop measures how soon the locks of a daemon that is told to stop
// are free.
func TestBoundsOfAStop(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.StartCluster(t, 3)
	well, stops := startHost(t, "well", cluster.Endpoints()...), newHost(t, "stopped", cluster.Endpoints()...)
	var measured bounds
	for i := range *tampers {
		process := stops.startDaemon(t)
		name := fmt.Sprintf("name-%d", i)
		holder, held := stops.lock(t, name)
		waiter := well.wait(t, name)
		began := now()
		var stopped sync.WaitGroup
		stopped.Go(process.stop)
		ended, next, granted, over := bothEnds(holder, waiter)
		measured.add("daemon told to stop", ended-began, granted-began)
		if next.fence <= held.fence {
			t.Errorf("fence %d after %d", next.fence, held.fence)
		}
		if !over {
			t.Error("granted before end-of-file")
		}
		stopped.Wait()
		waiter.hangUp()
	}
	t.Log(&measured)
}

// bothEnds waits until the holder reads end-of-file and the waiter is granted, and
// tells whether end-of-file was there by then: of what is read within the same
// millisecond, either may be noted first.
func bothEnds(holder, waiter *client) (ended time.Duration, next grant, granted time.Duration, over bool) {
	holder.t.Helper()
	var wait sync.WaitGroup
	wait.Go(func() {
		_, _ = holder.end() // why is of no interest here
		ended = now()
	})
	next = waiter.granted()
	granted, over = now(), holder.over()
	wait.Wait()
	return ended, next, granted, over
}

// TestQuantiles: the bounds are worth what their arithmetic is.
func TestQuantiles(t *testing.T) {
	var all []time.Duration
	for i := range 101 {
		all = append(all, time.Duration(100-i)*100*time.Millisecond)
	}
	if got, want := quantiles(slices.Clone(all)), "5.00 s / 9.90 s / 10.00 s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := quantiles([]time.Duration{12 * time.Millisecond}), "12 ms / 12 ms / 12 ms"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

package faults_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockside/daemon/faults/netns"
	"lockside/leases/etcdtest"
)

// awayTTL is a usual one.
const awayTTL = 10 * time.Second

// TestOneMemberAway: each member in turn is frozen, cut off and killed, until
// every daemon has renewed its lease without it, and comes back. No lock is lost,
// neither by daemons that were connected to it nor by others.
func TestOneMemberAway(t *testing.T) {
	t.Parallel()
	b := newBench(t, awayTTL, awayTTL, awayTTL)
	all := b.vigils(t)
	lost := netns.Link{Loss: 1}
	ways := []struct {
		name       string
		away, back func(i int, m *etcdtest.Process)
	}{
		{"frozen", func(_ int, m *etcdtest.Process) { m.Stop(t) }, func(_ int, m *etcdtest.Process) { m.Cont(t) }},
		{"cut off, DROP", func(i int, _ *etcdtest.Process) { b.Between(lost, b.members[i:i+1], b.Hosts()) },
			func(int, *etcdtest.Process) { b.Heal() }},
		{"killed", func(_ int, m *etcdtest.Process) { m.Kill(t) }, func(_ int, m *etcdtest.Process) { m.Restart(t) }},
	}
	var table strings.Builder
	table.WriteString("\n| a member is | rounds | least time left to a lease | false losses |\n| --- | --- | --- | --- |\n")
	for _, way := range ways {
		least, rounds := awayTTL, 0
		for i, m := range b.cluster.Members {
			for range *away {
				t.Logf("%s: member %d, and %d leads", way.name, i, b.leader(t))
				way.away(i, m)
				least = min(least, renewAll(t, all))
				way.back(i, m)
				least = min(least, renewAll(t, all))
				rounds++
			}
		}
		fmt.Fprintf(&table, "| %s | %d | %s | 0 |\n", way.name, rounds, seconds(least))
	}
	endAll(all)
	b.told.nothingLeft(b.cluster.Client(t))
	t.Log(table.String())
}

// A vigil is a lock that is held at one site and waited for at another, and must
// stay so.
type vigil struct {
	t                       testing.TB
	name                    string
	told                    *record
	holder, waiter, witness *client
	first, second           string // holder and waiter in the record
	held                    grant
	lease                   time.Duration // its TTL less the margin
}

// vigils has every site hold a lock that the next one waits for.
func (b *bench) vigils(t testing.TB) (all []*vigil) {
	t.Helper()
	for i, s := range b.sites {
		v := &vigil{t: t, name: fmt.Sprintf("vigil-%d", i), told: b.told, witness: s.dial(t)}
		v.first, v.second = b.told.client("holder"), b.told.client("waiter")
		v.lease = s.config.TTL - s.config.MarginOf(s.config.TTL)
		v.begin(s.host, b.sites[(i+1)%len(b.sites)].host)
		all = append(all, v)
	}
	return all
}

func (v *vigil) begin(here, there *host) {
	v.t.Helper()
	v.told.asks(v.first, here.config.Host, v.name)
	v.holder, v.held = here.lock(v.t, v.name)
	v.told.granted(v.first, v.held, v.name)
	v.told.use(v.first, v.name, v.held.fence)
	v.told.asks(v.second, there.config.Host, v.name)
	v.waiter = there.wait(v.t, v.name)
}

// end hands the lock over, and then gives it up.
func (v *vigil) end() {
	v.t.Helper()
	v.told.use(v.first, v.name, v.held.fence)
	v.told.unlocking(v.first, v.name)
	v.holder.unlock(v.name)
	v.told.unlocked(v.first, v.name)
	v.told.granted(v.second, v.waiter.granted(), v.name)
	v.hangUp()
}

func (v *vigil) hangUp() {
	v.t.Helper()
	v.told.closing(v.first)
	v.holder.hangUp()
	v.told.closing(v.second)
	v.waiter.hangUp()
}

// endAll ends vigils that have lost nothing.
func endAll(all []*vigil) {
	for _, v := range all {
		v.t.Helper()
		v.end()
	}
}

// renewed waits until the lease was renewed by a request sent from now on, and
// returns the least time that was left to it.
func (v *vigil) renewed() (least time.Duration) {
	v.t.Helper()
	since := now()
	least = v.lease
	eventually(v.t, patience, "renewal", func() bool {
		if v.holder.over() {
			reason, err := v.holder.end()
			v.t.Fatalf("%s was lost by %q, %v", v.name, reason, err)
		}
		left := v.witness.leaseLeft()
		least = min(least, left)
		return now()+left-v.lease > since
	})
	v.holder.check(v.name, v.held)
	v.waiter.stillOpen(time.Millisecond)
	return least
}

// renewAll waits until all leases were renewed, and returns the least time that
// was left to one.
func renewAll(t testing.TB, all []*vigil) time.Duration {
	t.Helper()
	least := make([]time.Duration, len(all))
	var wait sync.WaitGroup
	for i, v := range all {
		wait.Go(func() { least[i] = v.renewed() })
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return slices.Min(least)
}

package daemon_test

import (
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// TestStopWithoutEtcd: with etcd silent a daemon ends in bounded time, whatever
// its sessions are waiting for.
func TestStopWithoutEtcd(t *testing.T) {
	member := etcdtest.Start(t)
	h := serve(t, member)
	holder, waiter, asks, lists, verifies, unlocks := h.dial(), h.dial(), h.dial(), h.dial(), h.dial(), h.dial()
	holder.lock("a")
	verifies.lock("v")
	unlocks.lock("u")
	waiter.send("LOCK a")
	holder.awaitCounts("sessions=6 held=3 waiting=1")
	member.Stop()
	asks.send("WHO a")
	lists.send("LIST scope=cluster")
	verifies.send("CHECK v verify")
	unlocks.send("UNLOCK u")
	holder.awaitCounts("sessions=6 held=2 waiting=1")
	start := time.Now()
	h.end()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the daemon took %v to end", took)
	}
	for _, c := range []*client{holder, waiter, asks, lists, verifies, unlocks} {
		c.expect("! LOST reason=shutdown", "<eof>")
	}
}

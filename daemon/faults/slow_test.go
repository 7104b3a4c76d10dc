package faults_test

import (
	"testing"
	"time"

	"lockside/daemon/faults/netns"
)

// TestSlowLeader: a leader that takes longer to answer than an attempt to renew
// may take, but not nearly as long as a lease lasts, costs no lock.
func TestSlowLeader(t *testing.T) {
	t.Parallel()
	b := newBench(t, awayTTL, awayTTL)
	all := b.vigils(t)
	renewAll(t, all)
	leader := b.leader(t)
	for delay := 100 * time.Millisecond; delay <= 600*time.Millisecond; delay += 100 * time.Millisecond {
		b.Between(netns.Link{Delay: delay}, b.members[leader:leader+1], b.Hosts())
		time.Sleep(500 * time.Millisecond) // heartbeats that come later and later depose nobody
	}
	for end := now() + 2*awayTTL; now() < end; {
		least := renewAll(t, all)
		t.Logf("%v left at least; %d led, and %d leads", least, leader, b.leader(t))
	}
	endAll(all)
}

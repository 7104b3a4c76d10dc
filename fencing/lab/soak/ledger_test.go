package soak

import (
	"testing"
	"time"
)

// at is a moment in seconds.
func at(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// written makes a ledger of what was, at 100 seconds.
func written(spans ...span) *ledger {
	l := newLedger(func() time.Duration { return at(100) }, 10*time.Second)
	for _, s := range spans {
		l.add(s)
	}
	return l
}

// TestExplains loses locks of host0 and crowd c1 at 50 s, with a TTL of 10 s.
func TestExplains(t *testing.T) {
	tests := []struct {
		name  string
		spans []span
		want  bool
	}{
		{"nothing", nil, false},
		{"daemon killed", []span{{state: dead, host: "host0", begin: at(49), end: at(51)}}, true},
		{"daemon killed for no time", []span{{state: dead, host: "host0", begin: at(49), end: at(49)}}, true},
		{"daemon killed, but long ago", []span{{state: dead, host: "host0", begin: at(30), end: at(39)}}, false},
		{"daemon killed afterwards", []span{{state: dead, host: "host0", begin: at(51), end: at(52)}}, false},
		{"another daemon killed", []span{{state: dead, host: "host1", begin: at(49), end: at(51)}}, false},
		{"daemon frozen", []span{{state: still, host: "host0", begin: at(46), end: at(49)}}, true},
		{"daemon frozen still", []span{{state: still, host: "host0", begin: at(47), lasts: true}}, true},
		{"daemon frozen too shortly", []span{{state: still, host: "host0", begin: at(46), end: at(48)}}, false},
		{"another daemon frozen", []span{{state: still, host: "host1", begin: at(40), end: at(50)}}, false},
		{"daemon frozen twice", []span{
			{state: still, host: "host0", begin: at(43), end: at(45)}, {state: still, host: "host0", begin: at(46), end: at(48)},
		}, true},
		{"daemon and crowd frozen at once", []span{
			{state: still, host: "host0", begin: at(45), end: at(47)}, {state: still, crowd: "c1", begin: at(45), end: at(47)},
		}, false},
		{"crowd frozen", []span{{state: still, crowd: "c1", begin: at(45), end: at(50)}}, true},
		{"another crowd frozen", []span{{state: still, crowd: "c2", begin: at(45), end: at(50)}}, false},
		{"no quorum", []span{{state: noQuorum, begin: at(45), end: at(49)}}, true},
		{"no quorum for a moment", []span{{state: noQuorum, begin: at(45), end: at(46)}}, false},
		{"a member away", []span{{state: away, begin: at(30), lasts: true}}, false},
		{"a member away, and the daemon frozen", []span{
			{state: away, begin: at(44), end: at(48)}, {state: still, host: "host0", begin: at(48), end: at(49)},
		}, true},
		{"the machine stood still", []span{{state: starved, begin: at(46), end: at(49)}}, true},
	}
	for _, test := range tests {
		if got := written(test.spans...).explains(at(50), "host0", "c1"); got != test.want {
			t.Errorf("%s: explained %t", test.name, got)
		}
	}
}

// TestThawing: who was frozen for so long that a lease may have expired by its
// own clock may have revoked some, for a while.
func TestThawing(t *testing.T) {
	for since, want := range map[time.Duration]bool{at(98): false, at(90): true} {
		l := written()
		l.thawing(since)
		if got := l.revoked(at(101)); got != want {
			t.Errorf("frozen since %v: revoked %t", since, got)
		}
		if l.revoked(at(99)) || l.revoked(at(130)) {
			t.Error("revoked before the thaw, or long after it")
		}
	}
}

// TestLedgerForgets: what is long over is not kept, and what lasts is.
func TestLedgerForgets(t *testing.T) {
	now := at(0)
	l := newLedger(func() time.Duration { return now }, 10*time.Second)
	end := l.begin(span{state: away})
	for range 10_000 {
		now += time.Second
		l.begin(span{state: still, host: "host0"})()
	}
	if n := len(l.spans); n > int(forgetAfter/time.Second)+3 {
		t.Errorf("%d spans are kept", n)
	}
	isAway := func(s *span) bool { return s.state == away }
	if got := l.covered(now-at(10), now, isAway); got != at(10) {
		t.Errorf("of the last 10s a member was away for %v", got)
	}
	end()
	if got := l.covered(now, now+at(10), isAway); got > 1 {
		t.Errorf("a member that is back was away for %v", got)
	}
}

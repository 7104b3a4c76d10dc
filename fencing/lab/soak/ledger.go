package soak

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// A state is what somebody is in for a while.
type state string

const (
	still    state = "still"     // a daemon or a crowd is frozen
	starved  state = "starved"   // a crowd, or the machine, was given no processor
	noQuorum state = "no quorum" // etcd answers nobody
	away     state = "away"      // one member does not run, or leads no more
	dead     state = "dead"      // a daemon was killed, and does not serve yet
	former   state = "former"    // a member that may have led before it was frozen goes on
)

// formerFor is how long after its thaw a former leader may do harm. Until it
// hears of the next leader it takes leases for expired that were renewed there.
const formerFor = 5 * time.Second

// forgetAfter is how long the ledger remembers what is over: longer than any
// event takes to be looked at.
const forgetAfter = 15 * time.Minute

// A span is a state and when it was.
type span struct {
	state      state
	host       string // whose daemon it is about, or "" for all
	crowd      string // likewise
	begin, end time.Duration
	lasts      bool // it has no end yet
}

// A ledger is what faults there were, to judge losses by. The moments are those
// of CLOCK_BOOTTIME.
type ledger struct {
	now func() time.Duration
	ttl time.Duration

	mu     sync.Mutex // guards what follows
	spans  []*span
	counts map[string]int
}

func newLedger(now func() time.Duration, ttl time.Duration) *ledger {
	return &ledger{now: now, ttl: ttl, counts: map[string]int{}}
}

// begin notes a state that lasts until the function that it returns is called.
func (l *ledger) begin(s span) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.begin, s.lasts = l.now(), true
	l.addLocked(&s)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		s.end, s.lasts = l.now(), false
	}
}

// add notes a state that is over.
func (l *ledger) add(s span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addLocked(&s)
}

func (l *ledger) addLocked(s *span) {
	old := l.now() - forgetAfter
	l.spans = slices.DeleteFunc(l.spans, func(s *span) bool { return !s.lasts && s.end < old })
	l.spans = append(l.spans, s)
}

// count notes that something was done.
func (l *ledger) count(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[what]++
}

// explains reports whether what happened until a moment explains that a client
// lost what it had from a host's daemon.
//
// The deadline that a client knows is never nearer than a third of the TTL: half
// of a TTL is left when a renewal is due, and the client asks after a third of
// that. So only a silence longer than a quarter of a TTL counts, for clocks and
// schedulers take their part. A member that is away explains nothing, unless the
// daemon or the client stood still as well: each of the two is ridden out, but
// their sum may be too long.
func (l *ledger) explains(at time.Duration, host, crowd string) bool {
	from := at - l.ttl
	concerns := func(s *span) bool {
		return (s.host == "" || s.host == host) && (s.crowd == "" || s.crowd == crowd)
	}
	if l.covered(from, at, func(s *span) bool { return s.state == dead && s.host == host }) > 0 {
		return true
	}
	silent := func(s *span) bool {
		return concerns(s) && (s.state == still || s.state == starved || s.state == noQuorum)
	}
	silence := l.covered(from, at, silent)
	if silence >= l.ttl/4 {
		return true
	}
	both := l.covered(from, at, func(s *span) bool { return silent(s) || s.state == away })
	return silence >= l.ttl/20 && both >= l.ttl/3
}

// starvation is for how long, until a moment, somebody who should have run did
// not. What is found then may be for that reason, and not the product's fault.
func (l *ledger) starvation(at time.Duration) time.Duration {
	return l.covered(at-l.ttl, at, func(s *span) bool { return s.state == starved })
}

// revoked reports whether etcd may have revoked leases that it had renewed, in a
// time that ends at a moment. A leader that was frozen for longer than a lease had
// left revokes it when it is thawed, before it finds that it leads no more: etcd
// looks at its own ticks alone, which have just come again. See ensureLeadership
// in etcd's server.go, as of 3.7.
func (l *ledger) revoked(at time.Duration) bool {
	return l.covered(at-l.ttl, at, func(s *span) bool { return s.state == former }) > 0
}

// thawing notes that a member goes on that was frozen since a moment. Leases are
// renewed every third of the TTL, so it takes longer than that to harm one.
func (l *ledger) thawing(since time.Duration) {
	if now := l.now(); now-since >= l.ttl/2 {
		l.add(span{state: former, begin: now, end: now + formerFor})
	}
}

// frozen reports whether a crowd was frozen at any moment of a time.
func (l *ledger) frozen(crowd string, from, to time.Duration) bool {
	return l.covered(from, to, func(s *span) bool { return s.state == still && s.crowd == crowd }) > 0
}

// done is how often everything was done.
func (l *ledger) done() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.counts)
}

// covered is how much of a time the states that match take up, each moment
// counted once. A state that has begun and ended within no time takes a
// nanosecond.
func (l *ledger) covered(from, to time.Duration, match func(*span) bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var parts [][2]time.Duration
	for _, s := range l.spans {
		end := s.end
		if s.lasts {
			end = to
		}
		if b, e := max(s.begin, from), min(end, to); match(s) && b <= e {
			parts = append(parts, [2]time.Duration{b, max(e, b+1)})
		}
	}
	slices.SortFunc(parts, func(a, b [2]time.Duration) int { return cmp.Compare(a[0], b[0]) })
	var sum, reached time.Duration
	for _, p := range parts {
		sum += max(0, p[1]-max(p[0], reached))
		reached = max(reached, p[1])
	}
	return sum
}

package crowd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"lockside/ipc"
)

// A plan is what a client means to do in one cycle.
type plan struct {
	names    []string
	ttl      time.Duration // asked for, or 0 for the daemon's
	wait     time.Duration // what LOCK says
	patience time.Duration // after which the client gives up by itself, or 0
	rude     bool          // it then hangs up
	hold     time.Duration
	uses     int  // of what the names guard
	unlock   bool // it gives back by UNLOCK, and otherwise hangs up
	pause    time.Duration
}

// draw makes a plan. Most locks are short, and some outlast a TTL.
func draw(r *rand.Rand, names int, ttl time.Duration) plan {
	p := plan{
		names: drawNames(r, names), wait: ipc.WaitForever, unlock: r.IntN(8) > 0, uses: r.IntN(3),
		pause: between(r, 0, 2*time.Second),
	}
	switch k := r.IntN(100); {
	case k < 70:
		p.hold = between(r, 0, 50*time.Millisecond)
	case k < 98:
		p.hold = between(r, 50*time.Millisecond, time.Second)
	default:
		p.hold = between(r, ttl/2, 2*ttl)
	}
	switch k := r.IntN(100); {
	case k < 5:
		p.wait = 0
	case k < 20:
		p.wait = between(r, 10*time.Millisecond, 3*time.Second)
	case k < 40:
		p.patience, p.rude = between(r, 10*time.Millisecond, 3*time.Second), r.IntN(2) == 0
	}
	if r.IntN(10) == 0 {
		p.ttl = ttl + 2*time.Second
	}
	return p
}

// drawNames picks one name mostly, and every sixth time one of two that all
// want.
func drawNames(r *rand.Rand, names int) []string {
	n := 1
	if r.IntN(8) == 0 {
		n = 2 + r.IntN(3)
	}
	var all []string
	for range n {
		name := fmt.Sprintf("soak/%d", r.IntN(names))
		if r.IntN(6) == 0 {
			name = fmt.Sprintf("soak/%d", r.IntN(2))
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// between draws a duration that is not less than the first, but less than the
// second.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)))
}

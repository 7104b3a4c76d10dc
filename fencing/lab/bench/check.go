package bench

import "sync"

// A Checker watches one name. Each holder enters once it has been granted the
// name and leaves before it gives it back. If the lock excludes, that order is
// the order of the grants, since a grant follows the release before it.
type Checker struct {
	fenced bool

	mu     sync.Mutex // guards what follows
	inside int        // holders that have entered and not left
	last   int        // who entered last, and 0 before anybody has
	fence  int64      // the greatest one
	counts Counts
}

// Counts are what a checker has seen.
type Counts struct {
	Overlaps  int `json:"overlaps"`          // entries while another holder was inside
	NotRising int `json:"fences_not_rising"` // fences that were not greater than every one before
}

// Add sums what several checkers have seen.
func (c *Counts) Add(other Counts) {
	c.Overlaps += other.Overlaps
	c.NotRising += other.NotRising
}

// NewChecker makes one for a name. Fences are looked at if there are any.
func NewChecker(fenced bool) *Checker { return &Checker{fenced: fenced} }

// Enter notes a grant to a worker, whose number is not 0. It reports whether
// the name has gone from one worker to another.
func (c *Checker) Enter(worker int, fence int64) (handOff bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside > 0 {
		c.counts.Overlaps++
	}
	c.inside++
	if c.fenced {
		if fence <= c.fence {
			c.counts.NotRising++
		}
		c.fence = max(c.fence, fence)
	}
	handOff = c.last != 0 && c.last != worker
	c.last = worker
	return handOff
}

// Leave notes that a holder is about to give the name back.
func (c *Checker) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside--
}

// Counts returns what was seen so far.
func (c *Checker) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

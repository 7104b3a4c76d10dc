package quiet

import (
	"context"
	"sync"
	"time"

	"lockside/fencing/lab/systems"
)

const (
	// atOnce is how many clients connect, or go, at the same time: fewer than the
	// backlog of a socket holds.
	atOnce = 64

	// releaseTimeout bounds a release.
	releaseTimeout = 30 * time.Second
)

// many does something n times, some at once, and returns when all is done.
func many(n int, do func(i int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			do(i)
		})
	}
	wg.Wait()
}

// A tally counts errors by their text.
type tally struct {
	mu    sync.Mutex // guards what follows
	texts map[string]int
}

// note counts an error, and reports whether it is one.
func (t *tally) note(err error) bool {
	if err == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil {
		t.texts = map[string]int{}
	}
	t.texts[err.Error()]++
	return true
}

// A member of a crowd is a client that may have connected, and may hold.
type member struct {
	locker systems.Locker
	fence  int64 // that of its name, once it holds
	holds  bool
}

// crowd is many clients of one host.
type crowd struct {
	system  systems.System
	members []member
	errors  *tally
}

func newCrowd(system systems.System, n int, errors *tally) *crowd {
	return &crowd{system: system, members: make([]member, n), errors: errors}
}

// come connects a client, and reports whether it could.
func (c *crowd) come(ctx context.Context, i int) bool {
	locker, err := c.system.Open(ctx, systems.Worker{Number: i})
	if c.errors.note(err) {
		return false
	}
	c.members[i].locker = locker
	return true
}

// take waits for a name, and reports whether the client has got it.
func (c *crowd) take(ctx context.Context, i int, name string) bool {
	m := &c.members[i]
	fence, err := m.locker.Acquire(ctx, name)
	m.fence, m.holds = fence, !c.errors.note(err)
	return m.holds
}

// give releases what a client holds, and reports whether it had it until then.
// The end of ctx does not end it.
func (c *crowd) give(ctx context.Context, i int) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	c.members[i].holds = false
	return !c.errors.note(c.members[i].locker.Release(ctx))
}

// holding is how many clients have what they came for.
func (c *crowd) holding() int {
	n := 0
	for _, m := range c.members {
		if m.holds {
			n++
		}
	}
	return n
}

// leave disconnects all.
func (c *crowd) leave() {
	many(len(c.members), func(i int) {
		if locker := c.members[i].locker; locker != nil {
			_ = locker.Close() // what it held is released, or told as an error
		}
	})
}

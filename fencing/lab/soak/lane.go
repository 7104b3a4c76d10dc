package soak

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// undoTimeout bounds how long it takes until what was killed serves again.
const undoTimeout = 90 * time.Second

// A fault is something that a lane does to its victims.
type fault struct {
	name   string
	weight int

	// do does it, and undoes it before it returns. When ctx ends it does not wait
	// to undo it. An error is for what could not be undone, or done at all.
	do func(ctx context.Context, r *rand.Rand) error
}

// A lane does one fault after the other, with pauses.
type lane struct {
	random     *rand.Rand
	pause      time.Duration // the longest
	faults     []fault
	ledger     *ledger
	log        *slog.Logger
	unfinished func(error) // told of an error
}

// run goes on until ctx ends, and leaves nobody frozen or killed.
func (l *lane) run(ctx context.Context) {
	for {
		wait(ctx, between(l.random, l.pause/8, l.pause))
		if ctx.Err() != nil {
			return
		}
		f := l.draw()
		l.ledger.count(f.name)
		l.log.Debug("A fault begins", "fault", f.name, "at", l.ledger.now())
		if err := f.do(ctx, l.random); err != nil {
			l.unfinished(fmt.Errorf("%s: %w", f.name, err))
			return
		}
		l.log.Debug("A fault is over", "fault", f.name, "at", l.ledger.now())
	}
}

// draw picks a fault by its weight.
func (l *lane) draw() fault {
	sum := 0
	for _, f := range l.faults {
		sum += f.weight
	}
	at := l.random.IntN(sum)
	for _, f := range l.faults {
		if at -= f.weight; at < 0 {
			return f
		}
	}
	panic("unreachable")
}

// undoing is a context for what must be done although ctx has ended.
func undoing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
}

// wait waits, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// between draws a duration that is not less than the first, but less than the
// second.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)))
}

// length draws how long something is away: mostly for a moment, every fourth
// time for so long that locks are lost.
func length(r *rand.Rand, ttl time.Duration) time.Duration {
	if r.IntN(4) == 0 {
		return between(r, ttl/2, ttl+ttl/2)
	}
	return between(r, 10*time.Millisecond, ttl/5)
}

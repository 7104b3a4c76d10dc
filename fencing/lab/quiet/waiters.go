package quiet

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/systems"
)

// queueName is what all waiters wait for.
const queueName = "many-wait"

// Waiters is what became of many that waited for one name, once its holder let
// go.
type Waiters struct {
	Wanted  int     `json:"waiters_wanted"`
	Waiters int     `json:"waiters"` // that waited behind the holder
	Granted int     `json:"granted"` // that had the name, once each
	Seconds float64 `json:"seconds"` // from the holder's release to that of the last
	Rate    float64 `json:"hand_offs_per_second"`
	bench.Counts
	Errors map[string]int `json:"errors,omitempty"`
}

// MeasureWaiters has n clients wait for a name, and lets them have it when all
// of them wait. The limit bounds the whole; those that are not granted until
// then are errors. An error is returned if not even the holder gets the name.
func MeasureWaiters(ctx context.Context, system systems.Metered, n int, limit time.Duration, fenced bool) (Waiters, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("not all waiters had their turn in time"))
	defer cancel()
	var errs tally
	c := newCrowd(system, n+1, &errs)
	defer c.leave()
	q := &queue{crowd: c, checker: bench.NewChecker(fenced)}
	if !c.come(ctx, 0) || !c.take(ctx, 0, queueName) {
		return Waiters{}, fmt.Errorf("take the name that many will wait for: %v", errs.texts)
	}
	q.checker.Enter(1, c.members[0].fence)
	w := Waiters{Wanted: n, Waiters: q.wait(ctx, system, q.stand(ctx))}
	begin := time.Now()
	q.checker.Leave()
	c.give(ctx, 0)
	q.waiting.Wait()
	w.Seconds = time.Since(begin).Seconds()
	w.Granted, w.Counts, w.Errors = int(q.granted.Load()), q.checker.Counts(), errs.texts
	w.Rate = float64(w.Granted) / w.Seconds
	return w, nil
}

// queue is a crowd of which all want one name. The first has it.
type queue struct {
	*crowd
	checker *bench.Checker
	granted atomic.Int64
	waiting sync.WaitGroup
}

// stand has all but the first come and wait, and returns how many could come.
func (q *queue) stand(ctx context.Context) int {
	var came atomic.Int64
	many(len(q.members)-1, func(i int) {
		if q.come(ctx, i+1) {
			came.Add(1)
			q.waiting.Go(func() { q.turn(ctx, i+1) })
		}
	})
	return int(came.Load())
}

// turn waits, has the name, and gives it back.
func (q *queue) turn(ctx context.Context, i int) {
	if !q.take(ctx, i, queueName) {
		return
	}
	q.checker.Enter(i+1, q.members[i].fence)
	runtime.Gosched() // gives others the chance to be here at the same time
	q.checker.Leave()
	if q.give(ctx, i) {
		q.granted.Add(1)
	}
}

// wait returns how many wait, once all who came do or the time is over.
func (q *queue) wait(ctx context.Context, system systems.Metered, came int) int {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		n, err := system.Waiting(ctx, queueName)
		if q.errors.note(err) || n >= came || ctx.Err() != nil {
			return n
		}
		select {
		case <-again.C:
		case <-ctx.Done():
		}
	}
}

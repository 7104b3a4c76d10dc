package safety

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/holders"
)

const (
	calmAcquires  = 25
	calmWorkers   = 12
	calmTime      = 2 * time.Second
	calmThink     = time.Millisecond // that a holder holds for
	calmPatience  = 20 * time.Second
	calmName      = "calm"
	contendedName = "contended"
)

// calm measures a system that nothing strikes.
func (k kind) calm(ctx context.Context, s *stage) (c Calm, err error) {
	if err := os.MkdirAll(s.dir, 0o711); err != nil {
		return c, fmt.Errorf("make a directory for the servers: %w", err)
	}
	defer s.close()
	rig, err := k.start(ctx, s)
	if err != nil {
		return c, err
	}
	defer rig.close()
	if c.Acquire, err = uncontended(ctx, rig.holder(0)); err != nil {
		return c, err
	}
	checker := bench.NewChecker(k.fenced)
	c.Grants, err = contended(ctx, rig, checker)
	c.NotRising = checker.Counts().NotRising
	return c, err
}

// uncontended is the median time of an acquire by one client that is alone.
func uncontended(ctx context.Context, config holders.Config) (time.Duration, error) {
	holder, err := holders.Open(ctx, config)
	if err != nil {
		return 0, err
	}
	var times []time.Duration
	for range calmAcquires {
		wait, cancel := context.WithTimeout(ctx, calmPatience)
		began := time.Now()
		_, err = holder.Acquire(wait, calmName)
		times = append(times, time.Since(began))
		if err == nil {
			err = holder.Release(wait)
		}
		cancel()
		if err != nil {
			break
		}
	}
	slices.Sort(times)
	return times[len(times)/2], errors.Join(err, holder.Close())
}

// contended has several clients want one name, and returns how often one had it.
func contended(ctx context.Context, rig rig, checker *bench.Checker) (int, error) {
	over := time.Now().Add(calmTime)
	counts, failures := make([]int, calmWorkers), make([]error, calmWorkers)
	var workers sync.WaitGroup
	for i := range calmWorkers {
		workers.Go(func() { counts[i], failures[i] = contend(ctx, rig.holder(i%2), i+1, over, checker) })
	}
	workers.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum, errors.Join(failures...)
}

func contend(ctx context.Context, config holders.Config, worker int, over time.Time, checker *bench.Checker) (grants int, err error) {
	ctx, cancel := context.WithTimeout(ctx, calmPatience)
	defer cancel()
	holder, err := holders.Open(ctx, config)
	if err != nil {
		return 0, err
	}
	for time.Now().Before(over) && err == nil {
		var fence int64
		if fence, err = holder.Acquire(ctx, contendedName); err != nil {
			break
		}
		checker.Enter(worker, fence)
		grants++
		time.Sleep(calmThink)
		checker.Leave()
		err = holder.Release(ctx)
	}
	return grants, errors.Join(err, holder.Close())
}

package fencingtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lockside/fencing"
)

const (
	racers = 8 // goroutines
	grabs  = 6 // grants of each
	writes = 3 // of each grant, at most
)

// A lap is one write that was accepted, with its place in the order in which
// calls began and ended.
type lap struct {
	token        fencing.Token
	value        string
	began, ended int
}

// laps is what racers did.
type laps struct {
	mu    sync.Mutex // guards what follows
	clock int
	all   []lap
	err   error // the first that is no refusal
}

// tick is the next moment.
func (l *laps) tick() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clock++
	return l.clock
}

// add keeps a write that was accepted.
func (l *laps) add(one lap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clock++
	one.ended = l.clock
	l.all = append(l.all, one)
}

// fail keeps what went wrong.
func (l *laps) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// race has many holders come one after the other, none of which waits for the one
// before it to end, and all of which write until they are refused.
func race[W any](ctx context.Context, r *Resource[W]) error {
	var done laps
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			for j := range grabs {
				if err := r.run(ctx, &done, fmt.Sprintf("%d.%d", i, j)); err != nil {
					done.fail(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if done.err != nil {
		return done.err
	}
	return r.judge(ctx, done.all)
}

// run has one holder claim and write until it is refused.
func (r *Resource[W]) run(ctx context.Context, done *laps, name string) error {
	h, err := r.Grant(ctx)
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	if err = h.claim(ctx); err != nil {
		return unlessStale(err)
	}
	for i := range writes {
		one := lap{token: h.Token, value: fmt.Sprintf("%s.%d", name, i), began: done.tick()}
		if err := h.Write(ctx, h.Token, r.Set(one.value)); err != nil {
			return unlessStale(err)
		}
		done.add(one)
	}
	return nil
}

// unlessStale is the error, but for the one that is to be expected.
func unlessStale(err error) error {
	if errors.Is(err, fencing.ErrStale) {
		return nil
	}
	return err
}

// judge finds a write that was accepted although it began when one with a greater
// token had been accepted; and a value that is not that of the greatest token's
// last write.
func (r *Resource[W]) judge(ctx context.Context, all []lap) error {
	if len(all) == 0 {
		return errors.New("no write of any racer was accepted")
	}
	for _, late := range all {
		for _, one := range all {
			if late.began > one.ended && late.token.Fence < one.token.Fence {
				return fmt.Errorf("a write with %v was accepted after one with %v", late.token, one.token)
			}
		}
	}
	last := slices.MaxFunc(all, func(a, b lap) int {
		return cmp.Or(cmp.Compare(a.token.Fence, b.token.Fence), cmp.Compare(a.began, b.began))
	})
	return r.holds(ctx, last.value)
}

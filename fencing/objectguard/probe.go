package objectguard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrUnsafe is for a store that no guard can use: it does not keep conditions.
var ErrUnsafe = errors.New("the store does not keep the conditions of a put")

const (
	rivals = 8  // that put at the same time
	rounds = 10 // in which they do
)

// Probe finds out whether a store keeps conditions. Several put the same object at
// the same time under one condition, of whom one may win, and again; and what was
// replaced is not to be replaced again. The key is of an object that is not there;
// delete it afterwards. The error is [ErrUnsafe], or the store's own.
//
// That it finds nothing proves nothing, but stores that ignore conditions, or check
// them in a step of its own, are found out.
func Probe(ctx context.Context, store Store, key string) error {
	var etags []string
	etag := ""
	for round := range rounds {
		if err := compete(ctx, store, key, etag, round); err != nil {
			return fmt.Errorf("probe %s: %w", key, err)
		}
		_, next, err := store.Get(ctx, key)
		if err != nil {
			return fmt.Errorf("probe %s: %w", key, err)
		}
		etags = append(etags, etag)
		etag = next
	}
	for _, old := range etags {
		switch err := store.Put(ctx, key, []byte("late"), old); {
		case err == nil && old == "":
			return fmt.Errorf("probe %s: %w: one that is there was made anew in spite of If-None-Match", key, ErrUnsafe)
		case err == nil:
			return fmt.Errorf("probe %s: %w: one that had been replaced was replaced in spite of If-Match", key, ErrUnsafe)
		case !errors.Is(err, ErrChanged):
			return fmt.Errorf("probe %s: a put whose condition does not hold: %w", key, err)
		}
	}
	return nil
}

// compete has all rivals put under one condition.
func compete(ctx context.Context, store Store, key, etag string, round int) error {
	bodies, errs := make([][]byte, rivals), make([]error, rivals)
	var wg sync.WaitGroup
	for i := range rivals {
		bodies[i] = fmt.Appendf(nil, "round %d, rival %d", round, i)
		wg.Go(func() { errs[i] = store.Put(ctx, key, bodies[i], etag) })
	}
	wg.Wait()
	var winners []int
	for i, err := range errs {
		switch {
		case err == nil:
			winners = append(winners, i)
		case !errors.Is(err, ErrChanged):
			return fmt.Errorf("put at the same time as others: %w", err)
		}
	}
	return judge(ctx, store, key, bodies, winners)
}

// judge looks at what has become of the object. That no rival was told to have won
// is no fault where the client has sent a put twice.
func judge(ctx context.Context, store Store, key string, bodies [][]byte, winners []int) error {
	object, _, err := store.Get(ctx, key)
	if err != nil {
		return err
	}
	switch {
	case len(winners) > 1:
		return fmt.Errorf("%w: of %d puts at the same time under one condition %d were done", ErrUnsafe, rivals, len(winners))
	case len(winners) == 1 && !bytes.Equal(object, bodies[winners[0]]):
		return fmt.Errorf("%w: after one put was done and all others were refused the object is %.40q, want %q", ErrUnsafe, object, bodies[winners[0]])
	}
	for _, body := range bodies {
		if bytes.Equal(object, body) {
			return nil
		}
	}
	return fmt.Errorf("all puts were refused; take a key of which there is no object: it holds %.40q", object)
}

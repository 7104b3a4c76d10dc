package soak

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// runLane runs a lane for a while of fake time, and returns what it did.
func runLane(t *testing.T, seed uint64, do func(ctx context.Context, r *rand.Rand) error) (done []string, failed []error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		named := func(name string) fault {
			return fault{name, 1 + len(name)%2, func(ctx context.Context, r *rand.Rand) error {
				done = append(done, name)
				return do(ctx, r)
			}}
		}
		l := &lane{
			random: rand.New(rand.NewPCG(seed, 0)), pause: time.Second, faults: []fault{named("a"), named("bb"), named("c")},
			ledger: written(), log: slog.New(slog.DiscardHandler), unfinished: func(err error) { failed = append(failed, err) },
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		l.run(ctx)
	})
	return done, failed
}

// TestLaneComesFromItsSeed: the same seed gives the same faults again.
func TestLaneComesFromItsSeed(t *testing.T) {
	freeze := func(ctx context.Context, r *rand.Rand) error {
		wait(ctx, length(r, 10*time.Second))
		return nil
	}
	one, failed := runLane(t, 1, freeze)
	again, _ := runLane(t, 1, freeze)
	other, _ := runLane(t, 2, freeze)
	if len(one) < 20 || !slices.Equal(one, again) || slices.Equal(one, other) || len(failed) != 0 {
		t.Errorf("seed 1 gives %v and %v, seed 2 %v; %v", one, again, other, failed)
	}
}

// TestLaneEndsWithWhatCannotBeUndone: it does no more, and tells.
func TestLaneEndsWithWhatCannotBeUndone(t *testing.T) {
	broken := errors.New("broken")
	done, failed := runLane(t, 1, func(context.Context, *rand.Rand) error { return broken })
	if len(done) != 1 || len(failed) != 1 || !errors.Is(failed[0], broken) {
		t.Errorf("it did %v, and tells %v", done, failed)
	}
}

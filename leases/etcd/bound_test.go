package etcd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestBoundEndsEachCallInTime: calls that begin at any moment have their time,
// and not much more, and none has a deadline that would travel to etcd.
func TestBoundEndsEachCallInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const within = 4 * time.Second
		late := errors.New("late")
		b := newBound(t.Context(), within, late)
		for range 20 {
			ctx, began := b.context(), time.Now()
			if _, ok := ctx.Deadline(); ok {
				t.Fatal("a deadline")
			}
			ended := make(chan time.Duration, 1)
			context.AfterFunc(ctx, func() { ended <- time.Since(began) })
			time.Sleep(300 * time.Millisecond)
			go func() {
				took := <-ended
				if took < within || took > within*5/4 || context.Cause(ctx) != late {
					t.Errorf("ended after %v: %v", took, context.Cause(ctx))
				}
			}()
		}
		time.Sleep(2 * within)
	})
}

func TestBoundEndsWithItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(t.Context())
		closed := errors.New("closed")
		ctx := newBound(parent, time.Second, errors.New("late")).context()
		cancel(closed)
		if <-ctx.Done(); context.Cause(ctx) != closed {
			t.Error(context.Cause(ctx))
		}
	})
}

package idempotency

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"lockside/fencing"
)

// A Receiver does what is delivered to it once, and nothing that is late.
type Receiver struct{ Store Store }

// Do does the effect of a key, unless it is refused: [fencing.ErrStale],
// [fencing.ErrCluster], [ErrDuplicate] and [ErrKey] say that nothing was done. The
// effect's own error is returned as it is; it may be delivered again. The key of a
// claim raises the watermark, and its effect is not called.
//
// The effect's context is that of the store, which ends with that of the call.
func (r *Receiver) Do(ctx context.Context, k Key, effect func(context.Context) error) error {
	if err := k.Check(); err != nil {
		return err
	}
	// First the watermark, so that nothing that is half done is followed by less.
	err := r.Store.Update(ctx, k.Scope, func(_ context.Context, s State) (State, error) { return s.raise(k.Token) })
	if err != nil || k.Step == 0 {
		return err
	}
	return r.do(ctx, k, State.raise, effect)
}

// do does an effect in one step with what is kept of it.
func (r *Receiver) do(ctx context.Context, k Key, raise func(State, fencing.Token) (State, error), effect func(context.Context) error) error {
	return r.Store.Update(ctx, k.Scope, func(ctx context.Context, s State) (State, error) {
		next, err := raise(s, k.Token)
		if err == nil {
			next, err = next.done(k.Step)
		}
		if err != nil {
			return s, err
		}
		return next, effect(ctx)
	})
}

// An Effect is a write for the guard of a name.
type Effect struct {
	Step int64 // from 1
	Do   func(context.Context) error
}

// Guard is the receiver as the guard of what one lock protects. A Write whose step
// has been done is [ErrDuplicate]. WriteOnce is in one step with its watermark in a
// store that is a database; with [Files] it is done again, after a crash that came
// between, as long as it is delivered again and no greater token has been seen.
func (r *Receiver) Guard(name string) fencing.Guard[Effect] { return guard{r, name} }

type guard struct {
	receiver *Receiver
	name     string
}

func (g guard) Claim(ctx context.Context, t fencing.Token) error {
	return g.receiver.Do(ctx, New(g.name, t, 0), nil)
}

func (g guard) Write(ctx context.Context, t fencing.Token, e Effect) error {
	k, err := g.key(t, e)
	if err != nil {
		return err
	}
	return g.receiver.Do(ctx, k, e.Do)
}

func (g guard) WriteOnce(ctx context.Context, t fencing.Token, e Effect) error {
	k, err := g.key(t, e)
	if err != nil {
		return err
	}
	return g.receiver.do(ctx, k, State.raiseOnce, e.Do)
}

// key is that of an effect, which is no claim.
func (g guard) key(t fencing.Token, e Effect) (Key, error) {
	k := New(g.name, t, e.Step)
	if e.Step == 0 {
		return k, fmt.Errorf("%w: step 0 is the claim", ErrKey)
	}
	return k, k.Check()
}

// Settled reports whether a delivery that ended with an error, or none, is to be
// acknowledged: it was done, was done before, or is stale. All else is for another
// delivery, or for a person to see.
func Settled(err error) bool {
	for _, settled := range []error{ErrDuplicate, fencing.ErrStale, fencing.ErrSpent} {
		if errors.Is(err, settled) {
			return true
		}
	}
	return err == nil
}

// Status is what a webhook answers: 204 for what was done, now or before; 412 for
// what is stale; 409 for another cluster's token; 400 for what is no key; and 500
// for what is to be sent again.
func Status(err error) int {
	switch {
	case err == nil, errors.Is(err, ErrDuplicate), errors.Is(err, fencing.ErrSpent):
		return http.StatusNoContent
	case errors.Is(err, fencing.ErrStale):
		return http.StatusPreconditionFailed
	case errors.Is(err, fencing.ErrCluster):
		return http.StatusConflict
	case errors.Is(err, ErrKey):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

package fencingtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"lockside/fencing"
)

// once has three holders write once each, and try to do so again.
func once[W any](ctx context.Context, r *Resource[W]) error {
	if r.Many {
		return fmt.Errorf("the guard has no write once: %w", errors.ErrUnsupported)
	}
	first, err := r.writtenOnce(ctx, "first")
	if err != nil {
		return err
	}
	second, err := r.writtenOnce(ctx, "second")
	if err != nil {
		return err
	}
	if err := cmp.Or(
		refused(first.WriteOnce(ctx, first.Token, r.Set("late")), first.Token, second.Token),
		r.holds(ctx, "second")); err != nil {
		return err
	}
	third, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	return cmp.Or(
		spent(third.WriteOnce(ctx, third.Token, r.Set("after the claim")), third.Token),
		r.holds(ctx, "second"))
}

// writtenOnce is the next holder, who has written once, and was told so when it
// tried again.
func (r *Resource[W]) writtenOnce(ctx context.Context, value string) (Holder[W], error) {
	h, err := r.Grant(ctx)
	if err != nil {
		return h, fmt.Errorf("grant: %w", err)
	}
	if err := h.WriteOnce(ctx, h.Token, r.Set(value)); err != nil {
		return h, fmt.Errorf("write %q once with %v: %w", value, h.Token, err)
	}
	return h, cmp.Or(
		r.holds(ctx, value),
		spent(h.WriteOnce(ctx, h.Token, r.Set("twice")), h.Token),
		r.holds(ctx, value))
}

// spent checks that a second write was told to be one.
func spent(err error, token fencing.Token) error {
	if !errors.Is(err, fencing.ErrSpent) || errors.Is(err, fencing.ErrStale) {
		return fmt.Errorf("a second write with %v: %v, want %v", token, err, fencing.ErrSpent)
	}
	return nil
}

// lostWrite loses the reply to a write, which the holder then repeats.
func lostWrite[W any](ctx context.Context, r *Resource[W]) error {
	if r.LoseReply == nil {
		return fmt.Errorf("no reply to lose: %w", errors.ErrUnsupported)
	}
	h, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	if err := r.lose(ctx, func(ctx context.Context) error {
		return h.Write(ctx, h.Token, r.Set("lost"))
	}); err != nil {
		return err
	}
	if err := cmp.Or(r.holds(ctx, "lost"), r.write(ctx, h, "lost"), r.holds(ctx, "lost")); err != nil {
		return err
	}
	second, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	return refused(h.Write(ctx, h.Token, r.Set("late")), h.Token, second.Token)
}

// lostOnce loses the reply to the one write of a grant.
func lostOnce[W any](ctx context.Context, r *Resource[W]) error {
	if r.Many || r.LoseReply == nil {
		return fmt.Errorf("no reply to lose, or no write once: %w", errors.ErrUnsupported)
	}
	h, err := r.Grant(ctx)
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	if err := r.lose(ctx, func(ctx context.Context) error {
		return h.WriteOnce(ctx, h.Token, r.Set("once"))
	}); err != nil {
		return err
	}
	return cmp.Or(
		r.holds(ctx, "once"),
		spent(h.WriteOnce(ctx, h.Token, r.Set("twice")), h.Token),
		r.holds(ctx, "once"))
}

// lose does a call and loses its reply. The call may fail, or find out by itself
// that it was done; but nobody refused it.
func (r *Resource[W]) lose(ctx context.Context, call func(context.Context) error) error {
	err := r.LoseReply(ctx, call)
	for _, refusal := range []error{fencing.ErrStale, fencing.ErrCluster, fencing.ErrToken, fencing.ErrUnknown} {
		if errors.Is(err, refusal) {
			return fmt.Errorf("a call whose reply was lost: %w", err)
		}
	}
	return nil
}

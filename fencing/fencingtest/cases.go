package fencingtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"lockside/fencing"
)

// staleWrite has the first of two holders write after the second one has.
func staleWrite[W any](ctx context.Context, r *Resource[W]) error {
	first, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	if err := r.write(ctx, first, "first"); err != nil {
		return err
	}
	second, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	if err := r.write(ctx, second, "second"); err != nil {
		return err
	}
	return cmp.Or(
		refused(first.Write(ctx, first.Token, r.Set("late")), first.Token, second.Token),
		r.holds(ctx, "second"))
}

// staleClaim has the first of two holders claim after the second one has.
func staleClaim[W any](ctx context.Context, r *Resource[W]) error {
	both, err := grants(ctx, r, 2)
	if err != nil {
		return err
	}
	first, second := both[0], both[1]
	if err := second.claim(ctx); err != nil {
		return fmt.Errorf("claim with %v: %w", second.Token, err)
	}
	return cmp.Or(
		refused(first.claim(ctx), first.Token, second.Token),
		r.write(ctx, second, "second"),
		r.holds(ctx, "second"))
}

// equalToken has one holder claim and write as often as it likes.
func equalToken[W any](ctx context.Context, r *Resource[W]) error {
	h, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	for _, value := range []string{"one", "two", "two", "three"} {
		if err := cmp.Or(h.claim(ctx), r.write(ctx, h, value), r.holds(ctx, value)); err != nil {
			return err
		}
	}
	return nil
}

// lateWrite has the first of two holders write after the second one has claimed,
// and before it has written.
func lateWrite[W any](ctx context.Context, r *Resource[W]) error {
	first, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	if err := r.write(ctx, first, "first"); err != nil {
		return err
	}
	second, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	return cmp.Or(
		r.holds(ctx, "first"), // what the second one reads
		refused(first.Write(ctx, first.Token, r.Set("late")), first.Token, second.Token),
		r.holds(ctx, "first"), // still
		r.write(ctx, second, "second"),
		r.holds(ctx, "second"))
}

// numbers has each of several holders refuse the one before it. See [Tokens].
func numbers[W any](ctx context.Context, r *Resource[W]) error {
	before, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	for range 5 {
		h, err := claimed(ctx, r)
		if err != nil {
			return err
		}
		value := h.Token.String()
		if err := cmp.Or(
			refused(before.Write(ctx, before.Token, r.Set("late")), before.Token, h.Token),
			r.write(ctx, h, value), r.holds(ctx, value)); err != nil {
			return err
		}
		before = h
	}
	return nil
}

// noToken comes without a token.
func noToken[W any](ctx context.Context, r *Resource[W]) error {
	h, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	for _, none := range []fencing.Token{{}, {Cluster: h.Token.Cluster}, {Cluster: h.Token.Cluster, Fence: -1}} {
		for call, err := range map[string]error{
			"Claim":     h.Claim(ctx, none),
			"Write":     h.Write(ctx, none, r.Set("none")),
			"WriteOnce": h.WriteOnce(ctx, none, r.Set("none")),
		} {
			if !errors.Is(err, fencing.ErrToken) && (call != "WriteOnce" || !r.Many) {
				return fmt.Errorf("%s with fence %d: %v, want %v", call, none.Fence, err, fencing.ErrToken)
			}
		}
	}
	return r.holds(ctx, "")
}

// otherCluster comes with a greater token of another cluster.
func otherCluster[W any](ctx context.Context, r *Resource[W]) error {
	h, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	for _, id := range []fencing.Cluster{h.Token.Cluster ^ 1, 0} {
		other := fencing.Token{Cluster: id, Fence: h.Token.Fence + 1}
		for call, err := range map[string]error{
			"Claim": h.Claim(ctx, other),
			"Write": h.Write(ctx, other, r.Set("other")),
		} {
			if !errors.Is(err, fencing.ErrCluster) || errors.Is(err, fencing.ErrStale) {
				return fmt.Errorf("%s with %v after %v: %v, want %v", call, other, h.Token, err, fencing.ErrCluster)
			}
		}
	}
	return cmp.Or(r.write(ctx, h, "own"), r.holds(ctx, "own"))
}

// unknown comes to a resource that is not there.
func unknown[W any](ctx context.Context, r *Resource[W]) error {
	if r.Unknown == nil {
		return fmt.Errorf("a claim makes the resource: %w", errors.ErrUnsupported)
	}
	h, err := r.Grant(ctx)
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	for call, err := range map[string]error{
		"Claim": r.Unknown.Claim(ctx, h.Token),
		"Write": r.Unknown.Write(ctx, h.Token, r.Set("unknown")),
	} {
		if !errors.Is(err, fencing.ErrUnknown) || errors.Is(err, fencing.ErrStale) {
			return fmt.Errorf("%s of an unknown resource: %v, want %v", call, err, fencing.ErrUnknown)
		}
	}
	return r.holds(ctx, "")
}

// failedWrite has a holder's write fail half-way.
func failedWrite[W any](ctx context.Context, r *Resource[W]) error {
	if r.Fail == nil {
		return fmt.Errorf("writes are of one step: %w", errors.ErrUnsupported)
	}
	h, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	err = h.Write(ctx, h.Token, r.Fail("half"))
	if err == nil || errors.Is(err, fencing.ErrStale) {
		return fmt.Errorf("a write that fails: %v, want its own error", err)
	}
	return cmp.Or(r.holds(ctx, ""), r.write(ctx, h, "whole"), r.holds(ctx, "whole"))
}

// restart ends the resource's server between a claim and a late write.
func restart[W any](ctx context.Context, r *Resource[W]) error {
	if r.Restart == nil {
		return fmt.Errorf("nothing to restart: %w", errors.ErrUnsupported)
	}
	first, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	second, err := claimed(ctx, r)
	if err != nil {
		return err
	}
	if err := cmp.Or(r.write(ctx, second, "second"), r.Restart(ctx)); err != nil {
		return err
	}
	return cmp.Or(
		r.holds(ctx, "second"),
		refused(first.Write(ctx, first.Token, r.Set("late")), first.Token, second.Token),
		r.write(ctx, second, "again"),
		r.holds(ctx, "again"))
}

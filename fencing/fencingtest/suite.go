package fencingtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"lockside/fencing"
)

// patience bounds a case: a server that hangs is to fail it.
const patience = 2 * time.Minute

// A Case is one rule of the contract.
type Case[W any] struct {
	Name string

	// Run returns what is wrong, and [errors.ErrUnsupported] where the resource
	// has not what the case needs.
	Run func(ctx context.Context, r *Resource[W]) error
}

// Cases are all rules.
func Cases[W any]() []Case[W] {
	return []Case[W]{
		{"a stale write is refused", staleWrite[W]},
		{"a stale claim is refused", staleClaim[W]},
		{"an equal token is accepted", equalToken[W]},
		{"a late write after a claim is refused", lateWrite[W]},
		{"numbers are compared as numbers", numbers[W]},
		{"what is no token is refused", noToken[W]},
		{"another cluster is refused and not stale", otherCluster[W]},
		{"an unknown resource is not stale", unknown[W]},
		{"one write a grant", once[W]},
		{"a write that fails is undone", failedWrite[W]},
		{"a watermark outlives a restart", restart[W]},
		{"a write whose reply was lost is repeated", lostWrite[W]},
		{"a write whose reply was lost is done once", lostOnce[W]},
		{"writers that race", race[W]},
	}
}

// Test runs all cases, each on a new resource.
func Test[W any](t *testing.T, open func(t *testing.T) *Resource[W]) {
	for _, c := range Cases[W]() {
		t.Run(c.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err := c.Run(ctx, open(t))
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// grants is the next holders.
func grants[W any](ctx context.Context, r *Resource[W], n int) ([]Holder[W], error) {
	var all []Holder[W]
	for range n {
		h, err := r.Grant(ctx)
		if err != nil {
			return nil, fmt.Errorf("grant: %w", err)
		}
		all = append(all, h)
	}
	return all, nil
}

// claimed is the next holder, who has claimed the resource.
func claimed[W any](ctx context.Context, r *Resource[W]) (Holder[W], error) {
	h, err := r.Grant(ctx)
	if err != nil {
		return h, fmt.Errorf("grant: %w", err)
	}
	if err := h.claim(ctx); err != nil {
		return h, fmt.Errorf("claim with %v: %w", h.Token, err)
	}
	return h, nil
}

// write sets the value with the holder's token.
func (r *Resource[W]) write(ctx context.Context, h Holder[W], value string) error {
	if err := h.Write(ctx, h.Token, r.Set(value)); err != nil {
		return fmt.Errorf("write %q with %v: %w", value, h.Token, err)
	}
	return nil
}

// holds checks the value.
func (r *Resource[W]) holds(ctx context.Context, want string) error {
	value, err := r.Value(ctx)
	if err != nil {
		return fmt.Errorf("read the value: %w", err)
	}
	if value != want {
		return fmt.Errorf("the value is %q, want %q", value, want)
	}
	return nil
}

// refused checks that a call with a token was refused as stale, and that the
// greatest token that the resource tells is right, if it tells one.
func refused(err error, stale, highest fencing.Token) error {
	refusal, ok := errors.AsType[*fencing.StaleError](err)
	switch {
	case !ok || !errors.Is(err, fencing.ErrStale):
		return fmt.Errorf("a call with %v after %v: %v, want it refused as stale", stale, highest, err)
	case refusal.Token != stale:
		return fmt.Errorf("the refusal of %v is of %v", stale, refusal.Token)
	case !refusal.Highest.IsZero() && refusal.Highest != highest:
		return fmt.Errorf("the refusal tells %v as the highest, want %v", refusal.Highest, highest)
	}
	return nil
}

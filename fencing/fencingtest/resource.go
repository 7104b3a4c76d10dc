package fencingtest

import (
	"context"

	"lockside/fencing"
)

// A Holder is one grant of the lock: its token, and the guard that its process
// uses.
type Holder[W any] struct {
	fencing.Guard[W]
	Token fencing.Token
}

// claim raises the watermark with the holder's own token.
func (h Holder[W]) claim(ctx context.Context) error { return h.Claim(ctx, h.Token) }

// A Resource is a new resource for one case, with the value "".
type Resource[W any] struct {
	// Grant gives the lock to the next holder. The holder before may go on in the
	// belief that it has it. With most guards that is a greater token, which
	// [Tokens] gives; with a guard that asks the lock service it is a real lock.
	Grant func(ctx context.Context) (Holder[W], error)

	// Set is a write that sets the resource's value.
	Set func(value string) W

	// Fail is a write that sets the value and then fails, and is undone; nil where
	// writes are not of several steps.
	Fail func(value string) W

	// Value reads the value past the guard.
	Value func(ctx context.Context) (string, error)

	// Restart ends the resource's server as kill -9 does and starts it again; nil
	// where nothing runs.
	Restart func(ctx context.Context) error

	// LoseReply does a call and loses the resource's reply to what the call
	// changed; nil where there is no way for it to be lost. A [Wire] can do it.
	LoseReply func(ctx context.Context, call func(ctx context.Context) error) error

	// Unknown is the guard of a resource that is not there; nil where a resource
	// comes into being with its first claim.
	Unknown fencing.Guard[W]

	// Many is true where WriteOnce is not to be had, and returns
	// [errors.ErrUnsupported].
	Many bool
}

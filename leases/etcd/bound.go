package etcd

import (
	"context"
	"sync"
	"time"
)

// A bound gives calls the context in which each of them ends in time: after its
// duration, and up to a quarter more. The calls of a quarter share one context,
// with one timer and no deadline. A deadline for each call would go out with the
// request and have etcd set a timer too, and each new timer on our side wakes the
// runtime's poller; on an idle host, that cost more than a tenth of a Put.
type bound struct {
	parent context.Context
	within time.Duration
	cause  error // of the end

	mu    sync.Mutex // guards what follows
	ctx   context.Context
	until time.Time // no later call gets ctx
}

func newBound(parent context.Context, within time.Duration, cause error) *bound {
	return &bound{parent: parent, within: within, cause: cause}
}

// context is for a call that begins now. It outlives its parent by nothing; its
// timer may, by no more than the bound, and finds nothing to do then.
func (b *bound) context() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); !now.Before(b.until) {
		ctx, cancel := context.WithCancelCause(b.parent)
		time.AfterFunc(b.within+b.within/4, func() { cancel(b.cause) })
		b.ctx, b.until = ctx, now.Add(b.within/4)
	}
	return b.ctx
}

package holders

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"lockside/ipc"
)

// locksideHolder uses package ipc.
type locksideHolder struct {
	socket string
	client *ipc.Client
	lock   atomic.Pointer[ipc.Lock]
}

// Acquire takes a daemon that says that nothing is granted any more at its word.
func (h *locksideHolder) Acquire(ctx context.Context, name string) (int64, error) {
	for {
		lock, err := h.try(ctx, name)
		if err == nil {
			h.lock.Store(lock)
			return lock.Fence(), nil
		}
		if errors.Is(err, ipc.ErrRegressed) {
			return 0, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return 0, errors.Join(context.Cause(ctx), err)
		}
	}
}

func (h *locksideHolder) try(ctx context.Context, name string) (*ipc.Lock, error) {
	if h.client == nil {
		client, err := ipc.Dial(ctx, h.socket)
		if err != nil {
			return nil, err
		}
		h.client = client
	}
	return h.client.Lock(ctx, name)
}

// Told looks at the deadline too, as one does before a write: who was paused may
// not have read yet that the socket is closed.
func (h *locksideHolder) Told() string {
	lock := h.lock.Load()
	switch {
	case lock == nil || errors.Is(context.Cause(lock.Context()), ipc.ErrReleased):
		return ""
	case lock.Context().Err() != nil:
		return context.Cause(lock.Context()).Error()
	case lock.Left() == 0:
		return "its own deadline has passed"
	}
	return ""
}

func (h *locksideHolder) Release(ctx context.Context) error { return h.lock.Load().Unlock(ctx) }

func (h *locksideHolder) Close() error {
	if h.client == nil {
		return nil
	}
	return h.client.Close()
}

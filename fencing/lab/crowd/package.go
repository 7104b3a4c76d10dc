package crowd

import (
	"context"
	"errors"
	"time"

	"lockside/ipc"
)

// viaPackage is the manner of who uses package ipc.
type viaPackage struct {
	socket string
	id     string
	client *ipc.Client // nil while there is none
}

func (v *viaPackage) connect(ctx context.Context) error {
	if v.client != nil {
		return nil
	}
	client, err := ipc.Dial(ctx, v.socket, ipc.DefaultOwner(v.id))
	if err == nil {
		v.client = client
	}
	return err
}

func (v *viaPackage) hangUp() {
	if v.client != nil {
		_ = v.client.Close() // waits; it has no error of its own
		v.client = nil
	}
}

func (v *viaPackage) lock(p plan) (held, error) {
	ctx := context.Background()
	if p.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.patience, errGaveUp)
		defer cancel()
	}
	options := []ipc.LockOption{ipc.Wait(p.wait)}
	if p.ttl > 0 {
		options = append(options, ipc.TTL(p.ttl))
	}
	lock, err := v.client.LockAll(ctx, p.names, options...)
	if err != nil {
		return nil, err
	}
	h := packageLock{lock}
	return h, h.end()
}

// packageLock is a lock of package ipc, which keeps the deadline by itself.
type packageLock struct{ lock *ipc.Lock }

func (h packageLock) fence() int64 { return h.lock.Fence() }
func (h packageLock) lease() int64 { return h.lock.Lease() }
func (h packageLock) safe() bool   { return h.lock.Left() > 0 }

// end is why the lock has ended, or nil.
func (h packageLock) end() error {
	if cause := context.Cause(h.lock.Context()); cause != nil {
		return cause
	}
	if !h.safe() {
		return &ipc.LostError{Reason: ipc.ReasonClientDeadline}
	}
	return nil
}

func (h packageLock) keep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	case <-h.lock.Context().Done():
	}
	return h.end()
}

func (h packageLock) unlock() error {
	err := h.lock.Unlock(context.Background())
	if refused, ok := errors.AsType[*ipc.Error](err); ok {
		return &ipc.LostError{Reason: ipc.Reason(refused.Code)}
	}
	return err
}

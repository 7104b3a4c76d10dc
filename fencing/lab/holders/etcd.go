package holders

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// etcdHolder has a session of package concurrency, and believes what it says.
type etcdHolder struct {
	client  *clientv3.Client
	ttl     int // seconds
	session atomic.Pointer[concurrency.Session]
	mutex   *concurrency.Mutex
}

func openEtcd(c Config) (Holder, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Addresses, Logger: zap.NewNop(), DialTimeout: callTimeout})
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	return &etcdHolder{client: client, ttl: int(c.TTL / time.Second)}, nil
}

// Acquire begins anew with a new session when one is lost.
func (h *etcdHolder) Acquire(ctx context.Context, name string) (int64, error) {
	for {
		err := h.try(ctx, name)
		if err == nil {
			is := h.mutex.IsOwner()
			return is.GetCompare().GetCreateRevision(), nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return 0, errors.Join(context.Cause(ctx), err)
		}
	}
}

func (h *etcdHolder) try(ctx context.Context, name string) error {
	if err := h.renewed(ctx); err != nil {
		return err
	}
	session := h.session.Load()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go func() { // ends with the wait
		select {
		case <-session.Done():
			cancel()
		case <-over:
		}
	}()
	h.mutex = concurrency.NewMutex(session, name)
	return h.mutex.Lock(ctx)
}

// renewed makes sure that there is a session.
func (h *etcdHolder) renewed(ctx context.Context) error {
	if h.session.Load() != nil && h.Told() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	lease, err := h.client.Grant(ctx, int64(h.ttl))
	if err != nil {
		return err
	}
	session, err := concurrency.NewSession(h.client, concurrency.WithLease(lease.ID), concurrency.WithTTL(h.ttl))
	if err == nil {
		h.session.Store(session)
	}
	return err
}

func (h *etcdHolder) Told() string {
	session := h.session.Load()
	if session == nil {
		return ""
	}
	select {
	case <-session.Done():
		return "the session is done"
	default:
		return ""
	}
}

func (h *etcdHolder) Release(ctx context.Context) error { return h.mutex.Unlock(ctx) }

// Close leaves the lease to end by itself when etcd does not answer.
func (h *etcdHolder) Close() error {
	if session := h.session.Load(); session != nil {
		session.Orphan()
	}
	return h.client.Close()
}

package systems

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Mutex is the name of the system with concurrency.Mutex, to which others are
// compared.
const Mutex = "etcd Mutex"

func mutexKind() Kind {
	return Kind{
		Name:   Mutex,
		About:  "etcd's concurrency.Mutex. Each worker keeps its session; the workers of a host share a client. The fence is the create revision of the key.",
		Fenced: true, Quiet: true, Servers: replicated, lacks: built, Version: etcdVersion,
		Start: func(ctx context.Context, s Settings, members int) (System, error) {
			return startEtcd(ctx, s, members, openMutex)
		},
	}
}

// mutexLocker keeps a session.
type mutexLocker struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

func openMutex(ctx context.Context, e *etcd, client *clientv3.Client) (Locker, error) {
	session, err := e.session(ctx, client)
	if err != nil {
		return nil, err
	}
	return &mutexLocker{session: session}, nil
}

func (l *mutexLocker) Acquire(ctx context.Context, name string) (int64, error) {
	l.mutex = concurrency.NewMutex(l.session, name)
	if err := l.mutex.Lock(ctx); err != nil {
		return 0, err
	}
	return fence(l.mutex), nil
}

func (l *mutexLocker) Release(ctx context.Context) error {
	select {
	case <-l.session.Done():
		return errLost
	default:
		return l.mutex.Unlock(ctx)
	}
}

func (l *mutexLocker) Close() error { return l.session.Close() }

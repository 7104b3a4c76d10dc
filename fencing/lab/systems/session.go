package systems

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Session is the name of the system with a session a lock, to which others are
// compared.
const Session = "etcd, a session a lock"

func sessionKind() Kind {
	return Kind{
		Name:   Session,
		About:  "etcd's concurrency.Mutex with a new session for each lock, as a command has one that takes a lock, works and ends. The end of the session is the release: no key is deleted before.",
		Fenced: true, Servers: replicated, lacks: built, Version: etcdVersion,
		Start: func(ctx context.Context, s Settings, members int) (System, error) {
			return startEtcd(ctx, s, members, openSession)
		},
	}
}

// sessionLocker has a session only while it waits and holds.
type sessionLocker struct {
	etcd    *etcd
	client  *clientv3.Client
	session *concurrency.Session
}

func openSession(_ context.Context, e *etcd, client *clientv3.Client) (Locker, error) {
	return &sessionLocker{etcd: e, client: client}, nil
}

func (l *sessionLocker) Acquire(ctx context.Context, name string) (int64, error) {
	session, err := l.etcd.session(ctx, l.client)
	if err != nil {
		return 0, err
	}
	mutex := concurrency.NewMutex(session, name)
	if err := mutex.Lock(ctx); err != nil {
		return 0, errors.Join(err, session.Close())
	}
	l.session = session
	return fence(mutex), nil
}

func (l *sessionLocker) Release(context.Context) error {
	session := l.session
	l.session = nil
	return session.Close()
}

func (l *sessionLocker) Close() error {
	if l.session == nil {
		return nil
	}
	return l.Release(context.Background())
}

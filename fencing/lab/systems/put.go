package systems

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Put is the name of the system that only puts a key, to which latencies are
// compared.
const Put = "etcd Put"

func putKind() Kind {
	return Kind{
		Name:  Put,
		About: "No lock: one Put of 200 bytes, as a measure of what a commit costs. Nothing is released.",
		Bare:  true, Servers: replicated, lacks: built, Version: etcdVersion,
		Start: func(ctx context.Context, s Settings, members int) (System, error) {
			return startEtcd(ctx, s, members, openPut)
		},
	}
}

// putLocker locks nothing.
type putLocker struct{ client *clientv3.Client }

func openPut(_ context.Context, _ *etcd, client *clientv3.Client) (Locker, error) {
	return putLocker{client}, nil
}

// size is as long as what locksided writes of a holder, in bytes.
const size = 200

func (l putLocker) Acquire(ctx context.Context, name string) (int64, error) {
	if _, err := l.client.Put(ctx, name, strings.Repeat("v", size)); err != nil {
		return 0, fmt.Errorf("put: %w", err)
	}
	return 0, nil
}

func (l putLocker) Release(context.Context) error { return nil }

func (l putLocker) Close() error { return nil }

package faults_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"lockside/leases/keys"
)

// soon is a context for what should not take long. Without one a client waits
// for ever for a member that is frozen.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// queue reads the entries of a name, the holder first.
func queue(t testing.TB, etcd *clientv3.Client, name string) []*mvccpb.KeyValue {
	t.Helper()
	resp, err := etcd.Get(soon(t), keys.Queue("lockside/", name), clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		t.Fatal(err)
	}
	return resp.Kvs
}

// awaitQueue waits until a name has so many entries, and returns them.
func awaitQueue(t testing.TB, etcd *clientv3.Client, name string, entries int) []*mvccpb.KeyValue {
	t.Helper()
	var kvs []*mvccpb.KeyValue
	eventually(t, patience, "queue of "+name, func() bool {
		kvs = queue(t, etcd, name)
		return len(kvs) == entries
	})
	return kvs
}

// nothingLeft waits until no entry of any name is left, but for the keys that
// are the daemons' own.
func nothingLeft(t testing.TB, etcd *clientv3.Client, within time.Duration) {
	t.Helper()
	var left []string
	eventually(t, within, "end of all entries", func() bool {
		resp, err := etcd.Get(soon(t), "lockside/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
		if err != nil {
			t.Fatal(err)
		}
		left = left[:0]
		for _, kv := range resp.Kvs {
			if !strings.HasPrefix(string(kv.Key), "lockside/!") {
				left = append(left, string(kv.Key))
			}
		}
		return len(left) == 0
	})
}

// eventually waits until something holds.
func eventually(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(within); !holds(); <-again.C {
		if time.Now().After(end) {
			t.Fatalf("the %s did not come within %v", what, within)
		}
	}
}

// A mutex is a concurrency.Mutex with a session of its own: what a program that
// knows nothing of lockside locks with.
type mutex struct {
	*concurrency.Mutex
	session *concurrency.Session
}

func newMutex(t testing.TB, etcd *clientv3.Client, name string) mutex {
	t.Helper()
	s, err := concurrency.NewSession(etcd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // etcd may be gone
	return mutex{concurrency.NewMutex(s, strings.TrimSuffix(keys.Queue("lockside/", name), "/")), s}
}

// lock waits until the mutex is locked.
func (m mutex) lock(t testing.TB) {
	t.Helper()
	if err := m.Lock(soon(t)); err != nil {
		t.Fatal(err)
	}
}

// lockLater locks in the background; the channel tells when it is done.
func (m mutex) lockLater(t testing.TB) <-chan error {
	ctx, done := soon(t), make(chan error, 1)
	go func() { done <- m.Lock(ctx) }()
	return done
}

func (m mutex) unlock(t testing.TB) {
	t.Helper()
	if err := m.Unlock(soon(t)); err != nil {
		t.Fatal(err)
	}
}

// await takes what a channel gives, or fails the test.
func await[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

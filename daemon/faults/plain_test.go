package faults_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestPromise09PlainEtcdLocks: a concurrency.Mutex and a session exclude each
// other both ways, whatever the name.
func TestPromise09PlainEtcdLocks(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)
	for name, word := range map[string]string{
		"nightly":         "nightly",
		"x":               "x",
		"x/y":             "x/y",
		"/":               "/",
		"two words":       "two%20words",
		"100%":            "100%25",
		"%2F":             "%252F",
		"a=b":             "a%3Db",
		"Größe":           "Größe",
		"錠前":              "錠前",
		"-._~:@+,!":       "-._~:@+,!",
		"trailing/slash/": "trailing/slash/",
	} {
		t.Run(word, func(t *testing.T) {
			session := h.dial(t)
			excludes(t, newMutex(t, etcd, name), session, word)
			excluded(t, newMutex(t, etcd, name), session, word)
		})
	}
	nothingLeft(t, etcd, atOnce)
}

// excludes has a mutex hold a name against a session.
func excludes(t *testing.T, m mutex, session *client, word string) {
	t.Helper()
	m.lock(t)
	session.refused("LOCK wait=0 "+word, ipc.CodeBusy)
	session.send("LOCK " + word)
	session.stillOpen(50 * time.Millisecond)
	m.unlock(t)
	session.granted()
	session.unlock(word)
}

// excluded has a session hold a name against a mutex.
func excluded(t *testing.T, m mutex, session *client, word string) {
	t.Helper()
	g := session.lock("LOCK " + word)
	if err := m.TryLock(soon(t)); err == nil {
		t.Error("the mutex was locked beside the session")
	}
	locked := m.lockLater(t)
	select {
	case err := <-locked:
		t.Fatalf("the mutex was locked beside the session: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	session.check(word, g)
	session.unlock(word)
	if err := await(t, "the mutex", locked); err != nil {
		t.Fatal(err)
	}
	m.unlock(t)
}

// TestNamesDoNotNest: to etcd, x/y lies inside x; to us they are two names.
func TestNamesDoNotNest(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	h := startHost(t, "a", server.Endpoint)
	other := startHost(t, "b", server.Endpoint)
	for _, order := range [][2]string{{"x", "x/y"}, {"x/y", "x"}} {
		outer, _ := h.lock(t, order[0])
		for _, on := range []*host{h, other} {
			inner, _ := on.lock(t, "wait=0 "+order[1])
			inner.unlock(order[1])
		}
		outer.unlock(order[0])
	}
}

// TestMutexTakesItsTurn: sessions of two hosts and mutexes get one lock in the
// order in which they came.
func TestMutexTakesItsTurn(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	one, two := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)

	first, g := one.lock(t, "nightly")
	m := newMutex(t, etcd, "nightly")
	locked := m.lockLater(t)
	awaitQueue(t, etcd, "nightly", 2)
	second := two.wait(t, "nightly")
	awaitQueue(t, etcd, "nightly", 3)
	third := one.wait(t, "nightly")
	awaitQueue(t, etcd, "nightly", 4)

	first.hangUp()
	if err := await(t, "the mutex", locked); err != nil {
		t.Fatal(err)
	}
	second.stillOpen(50 * time.Millisecond)
	third.stillOpen(50 * time.Millisecond)
	if _, err := etcd.Revoke(soon(t), clientv3.LeaseID(m.session.Lease())); err != nil {
		t.Fatal(err)
	}
	next := second.granted()
	third.stillOpen(50 * time.Millisecond)
	second.hangUp()
	last := third.granted()
	if !(g.fence < next.fence && next.fence < last.fence) {
		t.Errorf("fences %d, %d and %d do not rise", g.fence, next.fence, last.fence)
	}
}

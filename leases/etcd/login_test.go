package etcd_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// startWithUser runs a member with authentication enabled and a user lock, of
// password lock, who may use keys that begin with q/. It gives root's client.
func startWithUser(t *testing.T) (*etcdtest.Server, *clientv3.Client) {
	t.Helper()
	s := etcdtest.Start(t)
	setUp := s.Client(t)
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(setUp.RoleAdd(t.Context(), "q"))
	must(setUp.RoleGrantPermission(t.Context(), "q", "q/", "q0", clientv3.PermissionType(clientv3.PermReadWrite)))
	must(setUp.RoleAdd(t.Context(), "root"))
	for user, role := range map[string]string{"root": "root", "lock": "q"} {
		must(setUp.UserAdd(t.Context(), user, user))
		must(setUp.UserGrantRole(t.Context(), user, role))
	}
	must(setUp.AuthEnable(t.Context()))
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{s.Endpoint}, Username: "root", Password: "root", Logger: zap.NewNop()})
	must(nil, err)
	t.Cleanup(func() { must(nil, root.Close()) })
	return s, root
}

// endTokens makes the user's tokens worthless.
func endTokens(t *testing.T, root *clientv3.Client) {
	t.Helper()
	if _, err := root.UserChangePassword(t.Context(), "lock", "lock"); err != nil {
		t.Fatal(err)
	}
}

func TestTokensAreRenewedInPassing(t *testing.T) {
	s, root := startWithUser(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}, Username: "lock", Password: "lock"})
	mustGrant(t, c, 1, time.Minute)
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	seen := newLookout()
	w := newWatcher(t, c, seen)
	w.Open(1, "q/")
	seen.expect(t, "ready", 1)

	for range 2 {
		mustTxn(t, c, put("q/a", "", 1))
		seen.expect(t, "events", 1)
		if _, err := c.Range(soon(t), &pb.RangeRequest{Key: []byte("q/a")}); err != nil {
			t.Errorf("range: %v", err)
		}
		if ttl, _, err := r.Renew(soon(t), 0); err != nil || ttl != time.Minute {
			t.Errorf("renew gives %v, %v; want 1m", ttl, err)
		}
		endTokens(t, root)
	}
	if ttl, _, err := r.Renew(soon(t), 0); err != nil || ttl != time.Minute {
		t.Errorf("renew gives %v, %v; want 1m", ttl, err)
	}
	w.Open(2, "q/") // the stream's own token is no good any more
	gone := []sighting{<-seen, <-seen}
	for _, s := range gone {
		if s.kind != "gone" {
			t.Errorf("saw %+v, want both watches gone", s)
		}
	}
	w.Open(3, "q/")
	seen.expect(t, "ready", 3)
}

func TestWhatIsDenied(t *testing.T) {
	s, _ := startWithUser(t)
	for name, user := range map[string]etcd.Config{
		"wrong password": {Username: "lock", Password: "wrong"},
		"unknown user":   {Username: "nobody", Password: "lock"},
		"no user":        {},
		"foreign key":    {Username: "lock", Password: "lock"},
	} {
		user.Endpoints = []string{s.Endpoint}
		c := newClient(t, user)
		_, err := c.Txn(soon(t), then(put("p/a", "", 0)))
		if !errors.Is(err, etcd.ErrDenied) || errors.Is(err, etcd.ErrUnknownOutcome) {
			t.Errorf("%s: txn gives %v, want %v", name, err, etcd.ErrDenied)
		}
		if _, err := c.Read(soon(t), then(get("p/a"))); !errors.Is(err, etcd.ErrDenied) {
			t.Errorf("%s: read gives %v, want %v", name, err, etcd.ErrDenied)
		}
		r := c.NewRenewal(1, time.Minute, nil)
		if _, _, err := r.Renew(soon(t), 0); errors.Is(err, etcd.ErrUnavailable) {
			t.Errorf("%s: renew gives %v", name, err)
		}
		r.Close()
	}
}

func TestWatchOfAForeignPrefixIsGone(t *testing.T) {
	s, _ := startWithUser(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}, Username: "lock", Password: "lock"})
	seen := newLookout()
	w := newWatcher(t, c, seen)
	w.Open(1, "q/")
	seen.expect(t, "ready", 1)
	w.Open(2, "p/")
	seen.expect(t, "gone", 2)
	mustTxn(t, c, put("q/a", "", 0))
	seen.expect(t, "events", 1)
}

func TestUserWhereThereIsNoAuthentication(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}, Username: "lock", Password: "lock"})
	mustTxn(t, c, put("a", "", 0))
}

// A login costs etcd much, so however many requests find out at once that the
// token is no good, there is one.
func TestOneLoginForAllThatNeedIt(t *testing.T) {
	s, root := startWithUser(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}, Username: "lock", Password: "lock"})
	mustTxn(t, c, put("q/a", "", 0))
	endTokens(t, root)
	before := raftIndex(t, root)
	const many = 50
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			if _, err := c.Txn(soon(t), then(put("q/a", "", 0))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// Or none, if a probe has found out before the first request did.
	if logins := raftIndex(t, root) - before - many; logins > 3 {
		t.Errorf("%d logins, want one", logins)
	}
}

// raftIndex counts what was proposed: writes and logins, but no reads, and nothing
// that was refused for its token.
func raftIndex(t *testing.T, root *clientv3.Client) uint64 {
	t.Helper()
	s, err := root.Status(t.Context(), root.Endpoints()[0])
	if err != nil {
		t.Fatal(err)
	}
	return s.RaftIndex
}

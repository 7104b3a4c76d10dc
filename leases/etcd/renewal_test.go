package etcd_test

import (
	"errors"
	"testing"
	"time"

	"lockside/leases/boottime"
	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

func TestRenewalGivesTheTTLAndWhenItAsked(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	mustGrant(t, c, 1, 10*time.Second)
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	for range 3 {
		before := boottime.System{}.Now()
		ttl, sent, err := r.Renew(soon(t), 0)
		if err != nil || ttl != 10*time.Second {
			t.Fatalf("renew gives %v, %v; want 10s", ttl, err)
		}
		if now := (boottime.System{}).Now(); sent < before || sent > now {
			t.Errorf("sent at %v, not between %v and %v", sent, before, now)
		}
	}
	if err := c.Revoke(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Renew(soon(t), 0); !errors.Is(err, etcd.ErrLeaseNotFound) {
		t.Errorf("renew of a revoked lease gives %v, want %v", err, etcd.ErrLeaseNotFound)
	}
}

func TestRenewalOutlivesARestartOfEtcd(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	mustGrant(t, c, 1, time.Minute)
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	if _, _, err := r.Renew(soon(t), 0); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if _, _, err := r.Renew(soon(t), 0); !errors.Is(err, etcd.ErrUnavailable) || errors.Is(err, etcd.ErrLeaseNotFound) {
		t.Errorf("renew without etcd gives %v, want %v", err, etcd.ErrUnavailable)
	}
	s.Restart(t)
	attempt := 0
	eventually(t, "a renewal after the restart", func() bool {
		attempt++
		_, _, err := r.Renew(within(t, time.Second), attempt)
		return err == nil
	})
}

// A lease that is given up while it is renewed says nothing of the endpoint.
func TestRenewalClosedUnderWayBlamesNobody(t *testing.T) {
	member := etcdtest.StartCluster(t, 1).Members[0]
	c := newClient(t, etcd.Config{Endpoints: []string{member.Endpoint}})
	mustGrant(t, c, 1, time.Minute)
	for range 20 {
		r := c.NewRenewal(1, time.Minute, nil)
		if _, _, err := r.Renew(soon(t), 0); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the member to be well", healthy(c, 1))
		member.Stop(t)
		ended := make(chan error, 1)
		go func() {
			_, _, err := r.Renew(soon(t), 0)
			ended <- err
		}()
		select {
		case err := <-ended:
			t.Fatalf("a frozen member renewed the lease: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		r.Close()
		<-ended
		if !healthy(c, 1)() {
			t.Error("the endpoint is blamed for it")
		}
		member.Cont(t)
	}
}

// An attempt that is over is answered late, by when its own request was sent, and one
// that is closed is not.
func TestRenewalIsAnsweredLate(t *testing.T) {
	member := etcdtest.StartCluster(t, 1).Members[0]
	c := newClient(t, etcd.Config{Endpoints: []string{member.Endpoint}})
	mustGrant(t, c, 1, time.Minute)
	type answer struct {
		ttl, sent time.Duration
		err       error
	}
	answers := make(chan answer, 2)
	r := c.NewRenewal(1, time.Minute, func(ttl, sent time.Duration, err error) { answers <- answer{ttl, sent, err} })
	defer r.Close()
	ended := c.NewRenewal(1, time.Minute, func(time.Duration, time.Duration, error) { t.Error("answered after its end") })
	for _, r := range []*etcd.Renewal{r, ended} {
		if _, _, err := r.Renew(soon(t), 0); err != nil {
			t.Fatal(err)
		}
	}
	member.Stop(t)
	var began, over []time.Duration
	for attempt := range 2 {
		began = append(began, boottime.System{}.Now())
		for _, r := range []*etcd.Renewal{r, ended} {
			if _, _, err := r.Renew(within(t, 100*time.Millisecond), attempt); !errors.Is(err, etcd.ErrUnavailable) {
				t.Fatalf("a frozen member: %v", err)
			}
		}
		over = append(over, boottime.System{}.Now())
	}
	ended.Close()
	member.Cont(t)
	seen := map[int]bool{}
	for range 2 {
		select {
		case a := <-answers:
			for i := range began {
				seen[i] = seen[i] || a.sent >= began[i] && a.sent <= over[i]
			}
			if a.err != nil || a.ttl != time.Minute {
				t.Errorf("answered %v, %v", a.ttl, a.err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no late answer")
		}
	}
	if !seen[0] || !seen[1] {
		t.Errorf("answers of attempts %v", seen)
	}
	if ttl, _, err := r.Renew(soon(t), 0); err != nil || ttl != time.Minute {
		t.Errorf("renew gives %v, %v; want 1m", ttl, err)
	}
}

// One frozen member of three, the leader or the one that the stream is at, must
// cost no more than one attempt.
func TestRenewalLeavesAFrozenMember(t *testing.T) {
	cluster := etcdtest.StartCluster(t, 3)
	c := newClient(t, etcd.Config{Endpoints: cluster.Endpoints()})
	eventually(t, "all members to be well", healthy(c, 3))
	mustGrant(t, c, 1, time.Minute)
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	if _, _, err := r.Renew(soon(t), 0); err != nil {
		t.Fatal(err)
	}
	frozen := cluster.Leader(t)
	frozen.Stop(t)
	cluster.Leader(t) // the others agree on another one
	if _, _, err := r.Renew(within(t, 300*time.Millisecond), 0); err == nil {
		t.Fatal("a frozen member renewed the lease")
	}
	if _, _, err := r.Renew(within(t, 5*time.Second), 1); err != nil {
		t.Errorf("the attempt after the failed one: %v", err)
	}

	frozen.Cont(t)
	eventually(t, "all members to be well", healthy(c, 3))
	if ttl, _, err := r.Renew(soon(t), 0); err != nil || ttl != time.Minute {
		t.Errorf("renew gives %v, %v; want 1m", ttl, err)
	}
}

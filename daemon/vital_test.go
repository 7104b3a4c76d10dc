package daemon

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/listen"
	"lockside/leases"
	"lockside/leases/core"
	"lockside/leases/etcd"
)

// TestAliveIsSeenFromOutside: nothing is alive that does not serve its socket, and etcd
// is not needed for it.
func TestAliveIsSeenFromOutside(t *testing.T) {
	dir := t.TempDir()
	socket, err := listen.Listen(listen.Options{Path: filepath.Join(dir, "s"), Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	s := newServer(config.Config{
		TTL: time.Minute, Limits: config.Limits{Sessions: 10, SessionsPerUser: 10},
	}, Options{}, socket)
	s.locks, err = leases.Open(leases.Config{
		Etcd: etcd.Config{Endpoints: []string{"unix:///nowhere/etcd"}}, Core: core.Config{Prefix: "lockside/"},
		StateDir: filepath.Join(dir, "state"),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.objection = s.locks.Objection
	if err := s.alive(t.Context(), 100*time.Millisecond); err == nil {
		t.Error("it is alive although nobody accepts")
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- s.serve(ctx, nil, nil) }()
	if err := s.alive(t.Context(), 10*time.Second); err != nil {
		t.Errorf("it serves: %v", err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := s.alive(t.Context(), 100*time.Millisecond); err == nil {
		t.Error("it is alive although nobody accepts any more")
	}
	closing, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_ = s.locks.Close(closing) // with no etcd there is nothing to give back to
	s.sessions.wait.Wait()
}

// TestPatience is that of the shortest lease's margin, between what the unit says and
// what a busy host takes.
func TestPatience(t *testing.T) {
	v := &vital{most: 5 * time.Second, margin: core.DefaultMargin}
	for _, step := range []struct {
		do   func(time.Duration)
		ttl  time.Duration
		want time.Duration
	}{
		{v.shorten, 15 * time.Second, 2300 * time.Millisecond},
		{v.shorten, time.Minute, 2300 * time.Millisecond},
		{v.shorten, 3 * time.Second, time.Second},
		{v.shorten, 6 * time.Second, time.Second},
		{func(ttl time.Duration) { v.lengthen(func() time.Duration { return ttl }) }, 12 * time.Second, 1800 * time.Millisecond},
		{func(ttl time.Duration) { v.lengthen(func() time.Duration { return ttl }) }, time.Hour, 5 * time.Second},
	} {
		step.do(step.ttl)
		if v.patience != step.want || v.every() != step.want/signsPerPatience {
			t.Errorf("with a TTL of %v systemd waits %v, want %v", step.ttl, v.patience, step.want)
		}
		if margin := v.margin(step.ttl); margin > shortestPatience+mostOverdue && v.patience+mostOverdue > margin {
			t.Errorf("with a TTL of %v systemd kills after %v, and the margin is %v", step.ttl, v.patience+mostOverdue, margin)
		}
		if v.late(step.ttl) {
			t.Errorf("a margin of %v is told to be too short", v.margin(step.ttl))
		}
	}
	v.margin = func(time.Duration) time.Duration { return 900 * time.Millisecond }
	if !v.late(3 * time.Second) {
		t.Error("a margin of 900 ms is not told to be too short")
	}
}

package leases_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lockside/leases"
	"lockside/leases/core"
	"lockside/leases/etcdtest"
	"lockside/leases/state"
)

// handOver freezes a Service, and opens the next one from what it handed over.
func handOver(t *testing.T, endpoint, dir string, s *leases.Service, to map[uint64]leases.Subscriber) *leases.Service {
	t.Helper()
	image, lock, err := s.Freeze(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := state.Open(dir); !errors.Is(err, state.ErrInUse) {
		t.Errorf("the state directory is free meanwhile: %v", err)
	}
	text, err := json.Marshal(image)
	if err != nil {
		t.Fatal(err)
	}
	image = new(leases.Image)
	if err := json.Unmarshal(text, image); err != nil {
		t.Fatal(err)
	}
	return open(t, []string{endpoint}, func(c *leases.Config) {
		c.StateDir, c.Resume = dir, &leases.Resumption{Image: image, Lock: lock, Subscribers: to}
	})
}

// TestHandOver: the next Service goes on with sessions, holders, waiters and leases, as
// often as it is done, with nothing lost and no fence changed.
func TestHandOver(t *testing.T) {
	server := etcdtest.Start(t)
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, []string{server.Endpoint}, func(c *leases.Config) { c.StateDir = dir })
	holder, h, g := lock(t, s, "a")
	waiter, w := s.Session(newRecorder()), newRecorder()
	waiter.End()
	waiter = s.Session(w)
	if err := waiter.Lock(leases.Request{Names: []string{"a"}, Wait: leases.Forever}); err != nil {
		t.Fatal(err)
	}
	awaitQueue(t, s, "a", 2)
	_, gone, _ := lock(t, s, "b") // its client hangs up meanwhile
	last := s.Session(newRecorder()).ID()
	for range 3 {
		s = handOver(t, server.Endpoint, dir, s, map[uint64]leases.Subscriber{holder.ID(): h, waiter.ID(): w})
		holder, waiter = s.Resumed(holder.ID()), s.Resumed(waiter.ID())
		if held, err := holder.Check("a"); err != nil || held.Fence != g.Fence {
			t.Fatalf("held by %+v, %v; fence %d before", held, err, g.Fence)
		}
		if n := s.Session(newRecorder()); n.ID() <= last {
			t.Errorf("session %d after %d", n.ID(), last)
		}
	}
	holder.Unlock([]string{"a"}, 0)
	await(t, "the release", h.released)
	if next := await(t, "the grant", w.granted); next.Fence <= g.Fence || next.Lease != g.Lease {
		t.Errorf("granted %+v after %+v", next, g)
	}
	awaitQueue(t, s, "b", 0)
	select {
	case reason := <-gone.lost:
		t.Errorf("a session without a subscriber is lost by %s", reason)
	default:
	}
}

// TestFreezeRefuses: where there is nothing to hand over, or no time, the Service goes
// on.
func TestFreezeRefuses(t *testing.T) {
	server := etcdtest.Start(t)
	s := open(t, []string{server.Endpoint}, nil)
	holder, r, _ := lock(t, s, "a")
	if _, _, err := s.Freeze(time.Hour); !errors.Is(err, leases.ErrShort) {
		t.Errorf("with a TTL that is too short: %v", err)
	}
	holder.Unlock([]string{"a"}, 0)
	await(t, "the release", r.released)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Freeze(0); !errors.Is(err, leases.ErrDraining) {
		t.Errorf("closed: %v", err)
	}
}

// TestResumeRefuses: what cannot be gone on with is an error, and the state directory is
// free after it.
func TestResumeRefuses(t *testing.T) {
	server := etcdtest.Start(t)
	for name, change := range map[string]func(*leases.Config){
		"another prefix":    func(c *leases.Config) { c.Core.Prefix = "other/" },
		"another directory": func(c *leases.Config) { c.StateDir = filepath.Join(c.StateDir, "other") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			s := open(t, []string{server.Endpoint}, func(c *leases.Config) { c.StateDir = dir })
			image, lock, err := s.Freeze(0)
			if err != nil {
				t.Fatal(err)
			}
			cfg := leases.Config{
				Core: core.Config{Prefix: "lockside/"}, StateDir: dir, Resume: &leases.Resumption{Image: image, Lock: lock},
			}
			cfg.Etcd.Endpoints = []string{server.Endpoint}
			if err := os.MkdirAll(filepath.Join(dir, "other"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "other", "lock"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			change(&cfg)
			if next, err := leases.Open(cfg); err == nil {
				t.Error("it goes on")
				_ = next.Close(t.Context())
			}
			freed, err := state.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := freed.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"lockside/daemon/config"
	"lockside/leases"
	"lockside/leases/core"
	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// heard is a subscriber that is granted something.
type heard struct{ granted chan leases.Grant }

func (h heard) Granted(g leases.Grant) { h.granted <- g }
func (h heard) Refused(error)          {}
func (h heard) Released(time.Duration) {}
func (h heard) Lost(leases.Reason)     {}

// TestUpgradeWaitsForTime: a lease that has less left than an upgrade may take is waited
// for, until its session has given it up, and no longer than it is worth.
func TestUpgradeWaitsForTime(t *testing.T) {
	member := etcdtest.Start(t)
	locks, err := leases.Open(leases.Config{
		Etcd: etcd.Config{Endpoints: []string{member.Endpoint}}, Core: core.Config{Prefix: "lockside/"},
		StateDir: filepath.Join(t.TempDir(), "state"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := locks.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	s := &server{locks: locks}
	h := heard{make(chan leases.Grant, 1)}
	n := locks.Session(h)
	if err := n.Lock(leases.Request{Names: []string{"a"}, TTL: 2 * time.Second, Wait: leases.Forever}); err != nil {
		t.Fatal(err)
	}
	<-h.granted
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.awaitTime(short); !errors.Is(err, leases.ErrShort) {
		t.Errorf("with a lease of 2 s: %v", err)
	}
	waited := make(chan error)
	go func() { waited <- s.awaitTime(t.Context()) }()
	n.End()
	if err := <-waited; err != nil {
		t.Errorf("with nothing held: %v", err)
	}
}

// TestUpgradeOfEmbeddedIsRefused: the etcd would be gone.
func TestUpgradeOfEmbeddedIsRefused(t *testing.T) {
	s := &server{cfg: config.Config{Embedded: true}}
	if err := s.awaitTime(t.Context()); !errors.Is(err, errEmbedded) {
		t.Errorf("%v", err)
	}
}

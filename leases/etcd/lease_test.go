package etcd_test

import (
	"errors"
	"testing"
	"time"

	"lockside/leases/boottime"
	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

func TestLeaseFromGrantToRevoke(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	before := boottime.System{}.Now()
	granted, sent, err := c.Grant(soon(t), 42, 9500*time.Millisecond)
	if err != nil || granted != 10*time.Second {
		t.Fatalf("grant gives %v, %v; want 10s", granted, err)
	}
	if now := (boottime.System{}).Now(); sent < before || sent > now {
		t.Errorf("sent at %v, not between %v and %v", sent, before, now)
	}
	if _, _, err := c.Grant(soon(t), 42, 10*time.Second); !errors.Is(err, etcd.ErrLeaseExists) {
		t.Errorf("a second grant gives %v, want %v", err, etcd.ErrLeaseExists)
	}
	mustTxn(t, c, put("a", "1", 42))

	info, err := c.Lease(soon(t), 42)
	if err != nil {
		t.Fatal(err)
	}
	if !info.Alive || info.Granted != granted || info.TTL <= 0 || info.TTL > granted || len(info.Keys) != 1 || info.Keys[0] != "a" {
		t.Errorf("lease is %+v", info)
	}
	for range 2 { // the second time it is gone already
		if err := c.Revoke(soon(t), 42); err != nil {
			t.Errorf("revoke: %v", err)
		}
	}
	if info, err := c.Lease(soon(t), 42); err != nil || info.Alive {
		t.Errorf("after revoke the lease is %+v, %v", info, err)
	}
}

func TestGrantGivesWhatTheServerMadeOfTheTTL(t *testing.T) {
	s := etcdtest.Start(t)
	c := newClient(t, etcd.Config{Endpoints: []string{s.Endpoint}})
	if granted, _, err := c.Grant(soon(t), 1, time.Second); err != nil || granted != 2*time.Second {
		t.Errorf("grant of 1s gives %v, %v; want the least TTL of 2s", granted, err)
	}
}

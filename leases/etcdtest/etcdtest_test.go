package etcdtest_test

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"

	"lockside/leases/etcdtest"
)

func TestMain(m *testing.M) {
	etcdtest.Member()
	goleak.VerifyTestMain(m)
}

func put(t *testing.T, client *clientv3.Client, key, value string) {
	t.Helper()
	if _, err := client.Put(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client *clientv3.Client, key string) string {
	t.Helper()
	resp, err := client.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Kvs) == 0 {
		return ""
	}
	return string(resp.Kvs[0].Value)
}

func TestServerKeepsItsDataOverARestart(t *testing.T) {
	s := etcdtest.Start(t)
	client := s.Client(t)
	put(t, client, "k", "v")
	s.Restart(t)
	if v := get(t, client, "k"); v != "v" {
		t.Errorf("after a restart k = %q, want v", v)
	}
	s.Replace(t, etcdtest.WithClusterToken("another"))
	if v := get(t, client, "k"); v != "" {
		t.Errorf("in another cluster k = %q, want nothing", v)
	}
}

func TestClusterSurvivesAFrozenAndAKilledLeader(t *testing.T) {
	c := etcdtest.StartCluster(t, 3)
	put(t, c.Client(t), "k", "1")

	first := c.Leader(t)
	first.Stop(t)
	if err := frozen(t, first); err == nil {
		t.Error("a frozen member answered")
	}
	second := c.Leader(t)
	if second == first {
		t.Fatal("a frozen member leads")
	}
	put(t, second.Client(t), "k", "2")
	first.Cont(t)
	if v := get(t, first.Client(t), "k"); v != "2" {
		t.Errorf("a member that goes on has k = %q, want 2", v)
	}

	second.Kill(t)
	put(t, c.Leader(t).Client(t), "k", "3")
	second.Restart(t)
	if v := get(t, second.Client(t), "k"); v != "3" {
		t.Errorf("a restarted member has k = %q, want 3", v)
	}
}

func frozen(t *testing.T, p *etcdtest.Process) error {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := p.Client(t).Get(ctx, "k")
	return err
}

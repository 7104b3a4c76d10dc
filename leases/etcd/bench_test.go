package etcd_test

import (
	"log/slog"
	"testing"
	"time"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// BenchmarkWrite sets a Txn of one put beside clientv3's Put, at a member that
// syncs to disk.
func BenchmarkWrite(b *testing.B) {
	s := etcdtest.Start(b, etcdtest.WithFsync())
	b.Run("clientv3", func(b *testing.B) {
		client := s.Client(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := client.Put(b.Context(), "k", "v"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("txn", func(b *testing.B) {
		c := benchClient(b, s.Endpoint)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Txn(b.Context(), then(put("k", "v", 0))); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRenew(b *testing.B) {
	s := etcdtest.Start(b)
	c := benchClient(b, s.Endpoint)
	if _, _, err := c.Grant(b.Context(), 1, time.Minute); err != nil {
		b.Fatal(err)
	}
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := r.Renew(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeletionSeen is the time from sending a deletion to its event.
func BenchmarkDeletionSeen(b *testing.B) {
	s := etcdtest.Start(b)
	c := benchClient(b, s.Endpoint)
	seen := newLookout()
	w := c.NewWatcher(seen)
	defer w.Close()
	w.Open(1, "q/")
	<-seen
	for b.Loop() {
		b.StopTimer()
		if _, err := c.Txn(b.Context(), then(put("q/a", "", 0))); err != nil {
			b.Fatal(err)
		}
		<-seen
		b.StartTimer()
		if _, err := c.Txn(b.Context(), then(remove("q/a"))); err != nil {
			b.Fatal(err)
		}
		<-seen
	}
}

func benchClient(b *testing.B, endpoint string) *etcd.Client {
	b.Helper()
	c, err := etcd.New(etcd.Config{Endpoints: []string{endpoint}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.Close(); err != nil {
			b.Error(err)
		}
	})
	return c
}

package etcd_test

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// balancer stands between a client and etcd, and may keep its connections open
// without passing anything on, as one does whose member behind it is frozen.
type balancer struct {
	etcd string // path of a socket

	mu    sync.Mutex // guards what follows
	conns []net.Conn
	stuck chan struct{} // closed for the connections that are to get stuck

	wait sync.WaitGroup
}

func startBalancer(t *testing.T, s *etcdtest.Server) (b *balancer, endpoint string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	b = &balancer{etcd: strings.TrimPrefix(s.Endpoint, "unix://"), stuck: make(chan struct{})}
	b.wait.Go(func() { b.accept(l) })
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		b.close()
	})
	return b, "unix://" + path
}

func (b *balancer) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", b.etcd)
		if err != nil {
			_ = client.Close()
			continue
		}
		b.mu.Lock()
		b.conns = append(b.conns, client, server)
		stuck := b.stuck
		b.mu.Unlock()
		b.wait.Go(func() { pass(client, server, stuck) })
		b.wait.Go(func() { pass(server, client, stuck) })
	}
}

// pass copies until one end closes, or swallows once it is stuck.
func pass(dst io.Writer, src io.Reader, stuck <-chan struct{}) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return
		}
		select {
		case <-stuck:
		default:
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
	}
}

// stick has the connections of now pass nothing on any more.
func (b *balancer) stick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.stuck)
	b.stuck = make(chan struct{})
}

func (b *balancer) close() {
	b.mu.Lock()
	for _, conn := range b.conns {
		_ = conn.Close()
	}
	b.mu.Unlock()
	b.wait.Wait()
}

// One endpoint that is a balancer must not be lost with the connection to it.
func TestStuckConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	s := etcdtest.Start(t)
	b, endpoint := startBalancer(t, s)
	c := newClient(t, etcd.Config{Endpoints: []string{endpoint}, CallTimeout: time.Second})
	mustGrant(t, c, 1, time.Minute)
	seen := newLookout()
	w := newWatcher(t, c, seen)
	w.Open(1, "q/")
	seen.expect(t, "ready", 1)
	r := c.NewRenewal(1, time.Minute, nil)
	defer r.Close()
	if _, _, err := r.Renew(soon(t), 0); err != nil {
		t.Fatal(err)
	}

	b.stick()
	attempt := 0
	eventually(t, "a renewal on a new connection", func() bool {
		attempt++
		_, _, err := r.Renew(within(t, 300*time.Millisecond), attempt)
		return err == nil
	})
	seen.expect(t, "gone", 1)
	w.Open(2, "q/")
	seen.expect(t, "ready", 2)
	mustTxn(t, c, put("q/a", "", 0))
	seen.expect(t, "events", 2)
}

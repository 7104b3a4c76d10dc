package daemon_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockside/daemon"
	"lockside/daemon/config"
	"lockside/leases/etcdtest"
)

// patience bounds every wait for an event in these tests.
const patience = 30 * time.Second

// host is one daemon in the test's process.
type host struct {
	t      testing.TB
	socket string
	member *etcdtest.Server
	etcd   *clientv3.Client // a plain one, to look behind the daemon's back
	stop   context.CancelFunc
	ended  chan struct{} // closed once Run has returned
	err    error         // of Run
}

// serve runs a daemon with flags of its own on a member until the test ends.
func serve(t testing.TB, member *etcdtest.Server, flags ...string) *host {
	t.Helper()
	h := begin(t, configure(t, tempDir(t), append(flags, "--endpoints="+member.Endpoint)...))
	h.member, h.etcd = member, member.Client(t)
	return h
}

// begin runs a daemon and waits until it serves.
func begin(t testing.TB, cfg config.Config) *host {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	h := &host{t: t, socket: cfg.Socket, stop: stop, ended: make(chan struct{})}
	ready := make(chan struct{})
	go func() {
		defer close(h.ended)
		h.err = daemon.Run(ctx, daemon.Options{Config: cfg, Version: "test", Ready: func() { close(ready) }})
	}()
	select {
	case <-ready:
	case <-h.ended:
		stop()
		t.Fatal(h.err)
	}
	t.Cleanup(h.end)
	return h
}

// end stops the daemon and holds that it ends in good order.
func (h *host) end() {
	h.t.Helper()
	h.stop()
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.t.Fatal("the daemon does not end")
	}
	if h.err != nil {
		h.t.Errorf("the daemon ended with %v", h.err)
	}
}

// configure loads the configuration that flags make, with all files below dir.
func configure(t testing.TB, dir string, flags ...string) config.Config {
	t.Helper()
	set := pflag.NewFlagSet("locksided", pflag.ContinueOnError)
	config.AddFlags(set)
	files := []string{"--socket=" + filepath.Join(dir, "s"), "--state-dir=" + filepath.Join(dir, "state")}
	if err := set.Parse(append(files, flags...)); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(set, config.Process{UID: os.Geteuid()})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// tempDir makes a directory with a short name, since a socket's path holds 107
// bytes.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ls")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// dial opens a session, which the test's end closes.
func (h *host) dial() *client {
	h.t.Helper()
	conn, err := net.Dial("unix", h.socket)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	return newClient(h.t, conn.(*net.UnixConn))
}

// entries are the keys of all queues in etcd, without the daemons' own.
func (h *host) entries() []string {
	h.t.Helper()
	resp, err := h.etcd.Get(h.t.Context(), "lockside/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		h.t.Fatal(err)
	}
	var keys []string
	for _, kv := range resp.Kvs {
		if key := string(kv.Key); !strings.HasPrefix(key, "lockside/!") {
			keys = append(keys, key)
		}
	}
	return keys
}

// awaitEntries waits until etcd has so many entries, of all names together.
func (h *host) awaitEntries(want int) {
	h.t.Helper()
	var got []string
	await(h.t, func() bool { got = h.entries(); return len(got) == want },
		fmt.Sprintf("%d entries", want), func() any { return got })
}

// await waits until something is so, or fails with what is instead.
func await(t testing.TB, so func() bool, what string, instead func() any) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s and have %v", what, instead())
		}
	}
}

// with is the same host for a subtest.
func (h *host) with(t testing.TB) *host {
	other := *h
	other.t = t
	return &other
}

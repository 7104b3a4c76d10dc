package faults_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"lockside/daemon"
	"lockside/daemon/config"
	"lockside/ipc"
)

// A host stands for one machine with its daemon.
type host struct {
	config config.Config
	boot   time.Duration // how far the boot clock of its daemon processes is ahead
}

// newHost makes a host with a state directory and no daemon yet.
func newHost(t testing.TB, name string, endpoints ...string) *host {
	t.Helper()
	dir, err := os.MkdirTemp("", "host") // a test's own directory may be too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &host{config: config.Config{
		Socket:     filepath.Join(dir, "sock"),
		SocketMode: 0o600,
		Endpoints:  endpoints,
		Prefix:     "lockside/",
		Host:       name,
		StateDir:   filepath.Join(dir, "state"),
		TTL:        ttl,
		MinTTL:     time.Second,
		MaxTTL:     time.Hour,
		Limits: config.Limits{
			Sessions: 2000, SessionsPerUser: 2000, LocksPerSession: 64,
			Waiters: 2000, WaitersPerName: 2000,
		},
	}}
}

// startHost runs a daemon in this process until the test ends.
func startHost(t testing.TB, name string, endpoints ...string) *host {
	t.Helper()
	h := newHost(t, name, endpoints...)
	h.run(t, nil)
	return h
}

// run starts a daemon in this process and waits until it is ready. The
// function it returns stops the daemon as TERM does, and may be called twice.
// To start one again takes startDaemon: a child that another test forks in this
// process has the lock of the one before for as long as it takes to exec.
func (h *host) run(t testing.TB, change func(*daemon.Options)) (stop func()) {
	t.Helper()
	ready := make(chan struct{})
	o := daemon.Options{Config: h.config, Version: "test", Logger: logger(t, h.config.Host), Ready: func() { close(ready) }}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var failed error // once ended
	go func() {
		defer close(ended)
		failed = daemon.Run(ctx, o)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case <-ended:
			if failed != nil {
				t.Errorf("daemon of %s: %v", h.config.Host, failed)
			}
		case <-time.After(patience):
			t.Errorf("daemon of %s does not stop", h.config.Host)
		}
	})
	t.Cleanup(stop)
	select {
	case <-ready:
	case <-ended:
		t.FailNow() // stop tells why
	case <-time.After(patience):
		t.Fatalf("daemon of %s is not ready", h.config.Host)
	}
	return stop
}

// dial connects a client, which the test's end disconnects.
func (h *host) dial(t testing.TB) *client {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: h.config.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return newClient(t, conn)
}

// lock connects a client and waits until it holds a name.
func (h *host) lock(t testing.TB, request string) (*client, grant) {
	t.Helper()
	c := h.dial(t)
	return c, c.lock("LOCK " + request)
}

// wait connects a client that waits for a name which somebody has, and returns
// once its entry stands in the queue.
func (h *host) wait(t testing.TB, name string) *client {
	t.Helper()
	witness, c := h.dial(t), h.dial(t)
	owner := fmt.Sprintf("%p", c)
	c.send("LOCK " + name + " owner=" + owner)
	eventually(t, patience, "waiter's entry", func() bool {
		_, entries := witness.ask("WHO " + name)
		return slices.ContainsFunc(entries, func(r ipc.Reply) bool { return r.Fields.Get("owner") == owner })
	})
	c.stillOpen(10 * time.Millisecond)
	witness.hangUp()
	return c
}

// waitUnseen connects a client that waits, while etcd cannot tell of it.
func (h *host) waitUnseen(t testing.TB, name string) *client {
	t.Helper()
	c := h.dial(t)
	c.send("LOCK " + name)
	return c
}

func logger(t testing.TB, host string) *slog.Logger {
	var out io.Writer = t.Output()
	if os.Getenv("LOCKSIDE_FAULTS_DEBUG") != "" {
		out = os.Stderr
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})).With("on", host)
}

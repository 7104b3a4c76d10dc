package daemon_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lockside/daemon"
	"lockside/daemon/listen"
	"lockside/ipc"
	"lockside/leases/etcdtest"
	"lockside/leases/state"
)

// TestTwoDaemons: one socket and one state directory serve one daemon. The
// second says what to do, and the first notices nothing.
func TestTwoDaemons(t *testing.T) {
	member := etcdtest.Start(t)
	dir := tempDir(t)
	first := begin(t, configure(t, dir, "--endpoints="+member.Endpoint))
	c := first.dial()
	held := c.lock("a")
	for name, test := range map[string]struct {
		flag string
		want error
		text string
	}{
		"socket": {"--state-dir=" + filepath.Join(dir, "other"), listen.ErrInUse, "(pid " + strconv.Itoa(os.Getpid()) + ")"},
		"state":  {"--socket=" + filepath.Join(dir, "other.sock"), state.ErrInUse, "--state-dir"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := configure(t, dir, "--endpoints="+member.Endpoint, test.flag)
			err := daemon.Run(t.Context(), daemon.Options{Config: cfg})
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("the second daemon ends with %v, want %v with %q", err, test.want, test.text)
			}
			if _, err := os.Stat(filepath.Join(dir, "other.sock")); err == nil {
				t.Error("the second daemon left its socket")
			}
			c.ask("CHECK a verify", "OK fence="+held+" left=<duration> until=<duration>")
		})
	}
}

// TestStaleSocket: a socket that a killed daemon left is replaced.
func TestStaleSocket(t *testing.T) {
	member := etcdtest.Start(t)
	dir := tempDir(t)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s")})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	h := begin(t, configure(t, dir, "--endpoints="+member.Endpoint))
	h.dial().lock("a")
}

// TestPathTooLong: both sides say so in words; the kernel would say "invalid
// argument".
func TestPathTooLong(t *testing.T) {
	cfg := configure(t, tempDir(t))
	cfg.Socket = filepath.Join(tempDir(t), strings.Repeat("x", 108))
	_, dial := ipc.Dial(t.Context(), cfg.Socket)
	for who, err := range map[string]error{
		"daemon": daemon.Run(context.Background(), daemon.Options{Config: cfg}),
		"client": dial,
	} {
		if err == nil || !strings.Contains(err.Error(), "107") {
			t.Errorf("the %s says %v", who, err)
		}
	}
	if _, err := os.Stat(cfg.StateDir); err == nil {
		t.Error("a daemon without a socket made its state directory")
	}
}

// TestGoClient: the Go client of package ipc and the daemon understand each other.
func TestGoClient(t *testing.T) {
	h, bystander := beside(t)
	client, err := ipc.Dial(t.Context(), h.socket)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := client.Lock(t.Context(), "a job/1 %=é", ipc.Owner("me & you"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.etcd.Get(t.Context(), lock.Key())
	if err != nil || len(got.Kvs) != 1 || got.Kvs[0].CreateRevision != lock.Fence() {
		t.Errorf("the key of fence %d is %v, %v", lock.Fence(), got, err)
	} else if id := got.Header.GetClusterId(); lock.Cluster() != id {
		t.Errorf("a fence of cluster %x was told to be of %x", id, lock.Cluster())
	}
	if _, err := client.Lock(t.Context(), "bystander", ipc.Wait(0)); !errors.Is(err, ipc.ErrBusy) {
		t.Errorf("a held name is answered %v", err)
	}
	if _, err := h.etcd.Delete(t.Context(), lock.Key()); err != nil {
		t.Fatal(err)
	}
	<-lock.Context().Done()
	if cause, ok := errors.AsType[*ipc.LostError](context.Cause(lock.Context())); !ok || cause.Reason != ipc.ReasonEntryDeleted {
		t.Errorf("the lock ended with %v", context.Cause(lock.Context()))
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	bystander.alone()
}

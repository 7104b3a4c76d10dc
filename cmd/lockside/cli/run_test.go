package cli

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

func TestLossGraceFitsIntoTheMargin(t *testing.T) {
	for _, test := range []struct{ ttl, asked, want time.Duration }{
		{15 * time.Second, unset, 2500 * time.Millisecond / 3},
		{3 * time.Second, unset, time.Second / 3},
		{60 * time.Second, unset, 10 * time.Second / 3},
		{15 * time.Second, 100 * time.Millisecond, 100 * time.Millisecond},
		{15 * time.Second, 0, 0},
		{15 * time.Second, time.Hour, 1875 * time.Millisecond},
	} {
		if got := lossGrace(test.ttl, test.asked); got != test.want {
			t.Errorf("lossGrace(%v, %v) = %v, want %v", test.ttl, test.asked, got, test.want)
		}
	}
}

func TestDefaultOwner(t *testing.T) {
	for command, want := range map[string]string{
		"/usr/bin/backup":         "backup",
		"evil\x1b[2J":             "",
		strings.Repeat("x", 1000): "",
	} {
		if got := defaultOwner(command); got != want {
			t.Errorf("defaultOwner(%q) = %q, want %q", command, got, want)
		}
	}
}

func TestDefaultSocket(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv(ipc.SocketVariable, "/some/where")
	if got := defaultSocket(); got != "/some/where" {
		t.Errorf("with the variable: %s", got)
	}
	t.Setenv(ipc.SocketVariable, "")
	if got := defaultSocket(); got != ipc.DefaultSocket {
		t.Errorf("without a socket of the user's own: %s", got)
	}
	if err := os.Mkdir(filepath.Join(dir, "lockside"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "lockside", "lockside.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	want := path
	if os.Geteuid() == 0 { // The superuser's daemon is the host's.
		want = ipc.DefaultSocket
	}
	if got := defaultSocket(); got != want {
		t.Errorf("with a socket of the user's own: %s, want %s", got, want)
	}
}

package ipc_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"lockside/ipc"
)

func TestSocketPathOfAnOrdinaryUser(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", dir)
	t.Setenv(ipc.SocketVariable, "/some/where")
	if got := ipc.SocketPath(); got != "/some/where" {
		t.Errorf("with the variable: %s", got)
	}
	t.Setenv(ipc.SocketVariable, "")
	if got := ipc.SocketPath(); got != ipc.DefaultSocket {
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
	if got := ipc.SocketPath(); got != want {
		t.Errorf("with a socket of the user's own: %s, want %s", got, want)
	}
}

package faults_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// nobody is a user of no rights.
const nobody = 65534

// dialAs connects a client of another user, which the kernel notes at the connect.
// Only this thread is the other user, and only for that long.
func (h *host) dialAs(t testing.TB, uid int) *client {
	t.Helper()
	type result struct {
		conn *net.UnixConn
		err  error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		var r result
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); errno != 0 {
			r.err = errno
		} else {
			r.conn, r.err = net.DialUnix("unix", nil, &net.UnixAddr{Name: h.config.Socket, Net: "unix"})
		}
		done <- r
	}()
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Cleanup(func() { r.conn.Close() })
	return newClient(t, r.conn)
}

// TestRestoreIsNotForEverybody: whoever may lock may not accept a restore.
func TestRestoreIsNotForEverybody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to connect as another user")
	}
	t.Parallel()
	h := newHost(t, "a", etcdtest.Start(t).Endpoint)
	h.config.SocketMode = 0o666
	if err := os.Chmod(filepath.Dir(h.config.Socket), 0o711); err != nil {
		t.Fatal(err)
	}
	h.run(t, nil)
	other := h.dialAs(t, nobody)
	other.lock("LOCK nightly")
	for _, request := range []string{"ACCEPT-RESTORE", "ACCEPT-RESTORE raise", "ACCEPT-RESTORE lower-fences=1"} {
		other.refused(request, ipc.CodeDenied)
	}
	if last, _ := h.dial(t).ask("ACCEPT-RESTORE"); last.Fields.Get("accepted") != "0" {
		t.Errorf("root is answered %s", last.Append(nil))
	}
}

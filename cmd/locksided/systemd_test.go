package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// A manager is systemd as far as a service sees it: a socket that it was given, and one
// that it tells its states.
type manager struct {
	t      *testing.T
	cmd    *exec.Cmd
	socket string
	notify *net.UnixConn
}

// startUnder runs the daemon as systemd would, with a watchdog.
func startUnder(t *testing.T, watchdog string, flags ...string) *manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "ls")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m := &manager{t: t, socket: filepath.Join(dir, "clients")}
	m.notify, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.notify.Close() })
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: m.socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	passed, err := listener.File()
	if err != nil {
		t.Fatal(err)
	}
	defer passed.Close()
	args := append([]string{"-c", `LISTEN_PID=$$ WATCHDOG_PID=$$ exec locksided "$@"`, "sh", "--state-dir", filepath.Join(dir, "state")}, flags...)
	m.cmd = exec.Command("sh", args...)
	m.cmd.Env = append(os.Environ(), "LISTEN_FDS=1", "LISTEN_FDNAMES=clients", "NOTIFY_SOCKET="+filepath.Join(dir, "notify"), "WATCHDOG_USEC="+watchdog)
	m.cmd.ExtraFiles = []*os.File{passed}
	m.cmd.Stderr = t.Output()
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.cmd.ProcessState == nil {
			_ = m.cmd.Process.Kill()
			_ = m.cmd.Wait()
		}
	})
	return m
}

// awaits reads what the service tells until it has told these, one after the other, with
// whatever else between, and returns all of it.
func (m *manager) awaits(states ...string) (told []string) {
	m.t.Helper()
	if err := m.notify.SetReadDeadline(time.Now().Add(reloadPatience)); err != nil {
		m.t.Fatal(err)
	}
	for len(states) > 0 {
		var text [4096]byte
		n, err := m.notify.Read(text[:])
		if err != nil {
			m.t.Fatalf("%q was not told, but %q", states[0], told)
		}
		for line := range strings.SplitSeq(string(text[:n]), "\n") {
			told = append(told, line)
			if len(states) > 0 && strings.HasPrefix(line, states[0]) {
				states = states[1:]
			}
		}
	}
	return told
}

func (m *manager) dial() (net.Conn, *bufio.Reader) {
	m.t.Helper()
	conn, err := net.Dial("unix", m.socket)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { conn.Close() })
	return conn, bufio.NewReader(conn)
}

func (m *manager) signal(s syscall.Signal) {
	m.t.Helper()
	if err := m.cmd.Process.Signal(s); err != nil {
		m.t.Fatal(err)
	}
}

// TestUnderSystemd: the daemon serves the socket that it is given, before there is an
// etcd too; says when it is ready, reloads and stops, and how it is; and has systemd be
// no more patient than the margin of the shortest lease.
func TestUnderSystemd(t *testing.T) {
	server := etcdtest.Start(t)
	m := startUnder(t, "5000000", "--endpoints", server.Endpoint)
	m.awaits("WATCHDOG_USEC=2300000", "READY=1", "STATUS=etcd: ok", "WATCHDOG=1")
	conn, in := m.dial()
	if reply := ask(t, conn, in, "LOCK nightly ttl=3s"); !strings.HasPrefix(reply, "OK fence=") {
		t.Fatalf("LOCK is answered %q", reply)
	}
	m.awaits("WATCHDOG_USEC=1000000", "WATCHDOG=1", "WATCHDOG=1", "STATUS=etcd: ok; 1 sessions hold 1 locks")
	m.signal(syscall.SIGHUP)
	told := m.awaits("RELOADING=1", "MONOTONIC_USEC=", "WATCHDOG_USEC=1000000", "READY=1", "WATCHDOG=1")
	if slices.Contains(told, "WATCHDOG_USEC=2300000") {
		t.Errorf("with a lease of 3 s systemd is told %q", told)
	}
	if reply := ask(t, conn, in, "CHECK nightly"); !strings.HasPrefix(reply, "OK fence=") {
		t.Fatalf("CHECK is answered %q", reply)
	}
	m.signal(syscall.SIGTERM)
	m.awaits("STOPPING=1")
	if err := m.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(m.socket); err != nil {
		t.Errorf("the socket of systemd: %v", err)
	}
}

// TestWatchdogIsFedAsSoonAsItIsShortened: systemd that was just told to wait less hears of
// the daemon within that time, though by the time before it was not yet due.
func TestWatchdogIsFedAsSoonAsItIsShortened(t *testing.T) {
	server := etcdtest.Start(t)
	m := startUnder(t, "20000000", "--endpoints", server.Endpoint, "--ttl", "2m")
	m.awaits("WATCHDOG_USEC=19800000", "READY=1", "STATUS=etcd: ok", "WATCHDOG=1")
	conn, in := m.dial()
	if reply := ask(t, conn, in, "LOCK nightly ttl=3s"); !strings.HasPrefix(reply, "OK fence=") {
		t.Fatalf("LOCK is answered %q", reply)
	}
	m.awaits("WATCHDOG_USEC=1000000")
	shortened := time.Now()
	m.awaits("WATCHDOG=1")
	if took := time.Since(shortened); took > time.Second {
		t.Errorf("systemd waits a second, and the daemon gave a sign of life after %v", took)
	}
}

// TestWatchdogIsNotFedByTheFrozen: a daemon that hangs gives no sign of life, and one
// without etcd does.
func TestWatchdogIsNotFedByTheFrozen(t *testing.T) {
	m := startUnder(t, "1000000", "--endpoints", "unix:///nowhere/etcd")
	m.awaits("READY=1", "STATUS=etcd: unavailable", "WATCHDOG=1", "WATCHDOG=1")
	m.signal(syscall.SIGSTOP)
	m.signal(syscall.SIGSTOP)
	for stopped := false; !stopped; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(m.cmd.Process.Pid), "stat"))
		if err != nil {
			t.Fatal(err)
		}
		stopped = strings.Contains(string(stat), ") T ")
	}
	if err := m.notify.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	left, _ := io.ReadAll(m.notify) // what was told before, until the deadline
	if n := strings.Count(string(left), "WATCHDOG=1"); n > 1 {
		t.Errorf("a frozen daemon gave %d signs of life", n)
	}
	m.signal(syscall.SIGCONT)
	m.awaits("WATCHDOG=1")
}

// TestSeveralSocketsAreRefused with a word on what to do.
func TestSeveralSocketsAreRefused(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec locksided --endpoints unix:///nowhere --state-dir "$1"`, "sh", t.TempDir())
	cmd.Env = append(os.Environ(), "LISTEN_FDS=2")
	cmd.ExtraFiles = []*os.File{r, w}
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "leave one ListenStream=") {
		t.Errorf("it says %q, %v", said, err)
	}
	if !slices.Contains([]int{1, 78}, cmd.ProcessState.ExitCode()) {
		t.Errorf("it exits with %d", cmd.ProcessState.ExitCode())
	}
}

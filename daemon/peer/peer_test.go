package peer_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/daemon/peer"
)

// connectVariable makes the test binary connect to the socket it holds and
// wait there.
const connectVariable = "PEER_TEST_SOCKET"

func TestMain(m *testing.M) {
	if path := os.Getenv(connectVariable); path != "" {
		connect(path)
	}
	os.Exit(m.Run())
}

// connect is the child: it stays until the other end hangs up.
func connect(path string) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		os.Exit(1)
	}
	_, _ = conn.Read(make([]byte, 1))
	os.Exit(0)
}

// client is a child process and the connection it made.
type client struct {
	cmd  *exec.Cmd
	conn *net.UnixConn
}

// newClient starts a child whose executable has the given name, as the given
// user, and accepts its connection.
func newClient(t *testing.T, name string, cred *syscall.Credential) *client {
	t.Helper()
	dir, err := os.MkdirTemp("", "peer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s")})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c := &client{cmd: command(t, dir, name, listener.Addr().String(), cred)}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	if c.conn, err = listener.AcceptUnix(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.conn.Close() })
	return c
}

// command copies the test binary to where any user may run it by its name.
func command(t *testing.T, dir, name, socket string, cred *syscall.Credential) *exec.Cmd {
	t.Helper()
	binary, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, open := range []string{dir, socket} {
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), connectVariable+"="+socket)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	return cmd
}

func (c *client) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func identify(t *testing.T, conn *net.UnixConn) peer.Peer {
	t.Helper()
	var id peer.Identifier
	p, err := id.Identify(conn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestIdentifyALiveProcess(t *testing.T) {
	before := sinceBoot(t) - time.Second // Started counts in hundredths.
	c := newClient(t, "a) (b c", nil)
	p := identify(t, c.conn)
	if int(p.PID) != c.cmd.Process.Pid || int(p.UID) != os.Getuid() || int(p.GID) != os.Getgid() {
		t.Errorf("got pid %d, uid %d, gid %d", p.PID, p.UID, p.GID)
	}
	if p.Comm != "a) (b c" {
		t.Errorf("comm is %q", p.Comm)
	}
	if p.Started < before || p.Started > sinceBoot(t) {
		t.Errorf("started at %v, after %v", p.Started, before)
	}
}

func sinceBoot(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

func TestIdentifyAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to run a process of another user")
	}
	c := newClient(t, "other", &syscall.Credential{Uid: 4_000_001, Gid: 4_000_002})
	p := identify(t, c.conn)
	if p.UID != 4_000_001 || p.GID != 4_000_002 || p.User != "4000001" || p.Comm != "other" {
		t.Errorf("got %+v", p)
	}
}

func TestAnExitedPeerIsNotDescribed(t *testing.T) {
	c := newClient(t, "gone", nil)
	pid := c.cmd.Process.Pid
	c.kill()
	p := identify(t, c.conn)
	if int(p.PID) != pid || p.Comm != "" || p.Unit != "" || p.Started != 0 {
		t.Errorf("got %+v", p)
	}
}

// TestARecycledPIDIsNotDescribed gives the pid of an exited client to another
// process of the same user.
func TestARecycledPIDIsNotDescribed(t *testing.T) {
	c := newClient(t, "gone", nil)
	pid := c.cmd.Process.Pid
	if _, err := unix.PidfdOpen(os.Getpid(), 0); err != nil {
		t.Skip("needs a kernel with pidfds")
	}
	c.kill()
	for range 50 {
		other := processWithPID(t, pid)
		if other == nil {
			continue
		}
		p := identify(t, c.conn)
		if int(p.PID) != pid || p.Comm != "" || p.Unit != "" {
			t.Errorf("got %+v", p)
		}
		return
	}
	t.Skip("the pid was not to be had again")
}

// processWithPID starts a process and returns it if it has the wanted pid.
func processWithPID(t *testing.T, pid int) *exec.Cmd {
	t.Helper()
	last := []byte(strconv.Itoa(pid - 1))
	if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", last, 0); err != nil {
		t.Skipf("needs to choose the next pid: %v", err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if cmd.Process.Pid != pid {
		return nil
	}
	return cmd
}

func TestIdentifyLeavesNoDescriptor(t *testing.T) {
	c := newClient(t, "client", nil)
	identify(t, c.conn)
	before := descriptors(t)
	for range 100 {
		identify(t, c.conn)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors became %d", before, after)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestAClosedConnectionIsAnError(t *testing.T) {
	c := newClient(t, "client", nil)
	c.conn.Close()
	var id peer.Identifier
	if p, err := id.Identify(c.conn); err == nil {
		t.Errorf("got %+v", p)
	}
}

func BenchmarkIdentify(b *testing.B) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(fds[1])
	file := os.NewFile(uintptr(fds[0]), "")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	var id peer.Identifier
	b.ReportAllocs()
	for b.Loop() {
		if _, err := id.Identify(conn.(*net.UnixConn)); err != nil {
			b.Fatal(err)
		}
	}
}

package faults_test

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// buildTime bounds a build on a busy machine that has nothing of it yet.
const buildTime = 5 * time.Minute

// build builds a program of this module, or with a flag one that the tools'
// module pins.
func build(t *testing.T, path string, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "program")
	args := append([]string{"build", "-o", program}, flags...)
	ctx, cancel := context.WithTimeout(t.Context(), buildTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, path)...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = t.Output()
	if err := cmd.Run(); err != nil {
		t.Fatalf("build %s: %v", path, err)
	}
	return program
}

// A locker is a program that locks, says so by its first line of output, and
// unlocks when it is interrupted.
type locker struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.Closer
	locked chan string // the line
}

func startLocker(t *testing.T, program string, args ...string) *locker {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &locker{t, cmd, stdin, make(chan string, 1)}
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		l.locked <- strings.TrimSuffix(line, "\n")
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // both fail after end
	return l
}

// waits holds that the program does not have the lock yet.
func (l *locker) waits() {
	l.t.Helper()
	select {
	case line := <-l.locked:
		l.t.Fatalf("%s has the lock beside another: %q", l.cmd.Path, line)
	case <-time.After(50 * time.Millisecond):
	}
}

// end interrupts the program.
func (l *locker) end() {
	l.t.Helper()
	if err := l.cmd.Process.Signal(unix.SIGINT); err != nil {
		l.t.Fatal(err)
	}
	_ = l.cmd.Wait() // interrupted is what it says
}

// TestEtcdctlLock: `lockside run`, a session of another host and `etcdctl lock`
// exclude each other, whoever comes first.
func TestEtcdctlLock(t *testing.T) {
	t.Parallel()
	etcdctl := build(t, "go.etcd.io/etcd/etcdctl/v3", "-modfile=packaging/tools/go.mod")
	lockside := build(t, "./cmd/lockside")
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h, other := startHost(t, "a", server.Endpoint), startHost(t, "b", server.Endpoint)
	lock := func() *locker {
		return startLocker(t, etcdctl, "--endpoints="+server.Endpoint, "lock", "lockside/nightly")
	}
	run := func() *locker {
		return startLocker(t, lockside, "run", "--socket="+h.config.Socket, "nightly", "--",
			"sh", "-c", "echo $LOCKSIDE_KEY; exec sleep 60")
	}

	tool := lock()
	key := await(t, "etcdctl's lock", tool.locked)
	ours := run()
	if entries := awaitQueue(t, etcd, "nightly", 2); string(entries[0].Key) != key {
		t.Errorf("etcdctl says %s, and %s is first", key, entries[0].Key)
	}
	session := other.dial(t)
	session.refused("LOCK nightly wait=0", ipc.CodeBusy)
	ours.waits()
	tool.end()
	if key := await(t, "the command", ours.locked); key != string(awaitQueue(t, etcd, "nightly", 1)[0].Key) {
		t.Errorf("lockside run says %s", key)
	}

	tool = lock()
	awaitQueue(t, etcd, "nightly", 2)
	session.send("LOCK nightly")
	awaitQueue(t, etcd, "nightly", 3)
	tool.waits()
	ours.end()
	await(t, "etcdctl's lock", tool.locked)
	session.stillOpen(50 * time.Millisecond)
	tool.end()
	session.granted()
	session.unlock("nightly")
	nothingLeft(t, etcd, atOnce)
}

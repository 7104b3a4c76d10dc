package faults_test

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/leases/etcdtest"
)

// lostCode is the exit code of a command that lost its lock.
const lostCode = 70

// TestCase_controllerruntime1132_TreeBeforeRelease: what the command leaves running in
// the background has ended before another host has the lock.
func TestCase_controllerruntime1132_TreeBeforeRelease(t *testing.T) {
	t.Parallel()
	lockside := build(t, "./cmd/lockside")
	server := etcdtest.Start(t)
	h, other := startLasting(t, "a", server.Endpoint), startLasting(t, "b", server.Endpoint)
	l := startLocker(t, lockside, "run", "--socket="+h.config.Socket, "nightly", "--",
		"sh", "-c", `setsid sh -c 'echo $$; exec sleep 600' & read line || true`)
	stray, err := strconv.Atoi(await(t, "process in the background", l.locked))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(stray, 0); err != nil {
		t.Fatalf("the process in the background: %v", err)
	}
	waiter := other.wait(t, "nightly")
	if err := l.stdin.Close(); err != nil { // so the command ends
		t.Fatal(err)
	}
	waiter.granted()
	if err := unix.Kill(stray, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("the process in the background runs on: %v", err)
	}
	if err := l.cmd.Wait(); err != nil {
		t.Errorf("lockside run: %v", err)
	}
}

// TestCase_cilium42920_PoliteEndHasALimit: a command that takes no notice of TERM is dead,
// with all that it started, before another host has the lock that it lost.
func TestCase_cilium42920_PoliteEndHasALimit(t *testing.T) {
	t.Parallel()
	lockside := build(t, "./cmd/lockside")
	member := etcdtest.StartCluster(t, 1).Members[0]
	r := newRelay(t, member)
	h, other := startHost(t, "a", r.Endpoint), startLasting(t, "b", member.Endpoint)
	l := startLocker(t, lockside, "run", "--socket="+h.config.Socket, "nightly", "--",
		"sh", "-c", `trap "" TERM; sh -c 'echo $$; while :; do sleep 0.05; done'`)
	stubborn, err := strconv.Atoi(await(t, "command", l.locked))
	if err != nil {
		t.Fatal(err)
	}
	waiter := other.wait(t, "nightly")
	r.answers.close()
	r.requests.close()
	waiter.granted()
	if err := unix.Kill(stubborn, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("the command runs on beside the next holder: %v", err)
	}
	failed, ok := errors.AsType[*exec.ExitError](l.cmd.Wait())
	if !ok || failed.ExitCode() != lostCode {
		t.Errorf("lockside run ends with %v, want %d", failed, lostCode)
	}
}

// TestCase_consul2022_GrandchildrenOfTheShell: the command that the shell started ends with
// the lock, and not the shell alone.
func TestCase_consul2022_GrandchildrenOfTheShell(t *testing.T) {
	t.Parallel()
	lockside := build(t, "./cmd/lockside")
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startLasting(t, "a", server.Endpoint)
	l := startLocker(t, lockside, "run", "--socket="+h.config.Socket, "nightly", "--",
		"sh", "-c", `sh -c 'echo $$; sleep 600; true'; true`)
	grandchild, err := strconv.Atoi(await(t, "grandchild", l.locked))
	if err != nil {
		t.Fatal(err)
	}
	revoke(t, etcd, awaitQueue(t, etcd, "nightly", 1)[0].Lease)
	failed, ok := errors.AsType[*exec.ExitError](l.cmd.Wait())
	if !ok || failed.ExitCode() != lostCode {
		t.Errorf("lockside run ends with %v, want %d", failed, lostCode)
	}
	if err := unix.Kill(grandchild, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("the grandchild runs on: %v", err)
	}
}

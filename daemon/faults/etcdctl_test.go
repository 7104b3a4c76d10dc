package faults_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// buildEtcdctl builds the etcdctl that the tools' module pins.
func buildEtcdctl(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "etcdctl")
	build := exec.CommandContext(t.Context(), "go", "build", "-modfile=packaging/tools/go.mod",
		"-o", path, "go.etcd.io/etcd/etcdctl/v3")
	build.Dir = filepath.Join("..", "..")
	build.Stderr = t.Output()
	if err := build.Run(); err != nil {
		t.Fatalf("build etcdctl: %v", err)
	}
	return path
}

// An etcdctl is a running `etcdctl lock`.
type etcdctl struct {
	t      *testing.T
	cmd    *exec.Cmd
	locked chan string // the key, once it holds the lock
}

func startEtcdctl(t *testing.T, path, endpoint, name string) *etcdctl {
	t.Helper()
	cmd := exec.Command(path, "--endpoints="+endpoint, "lock", name)
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &etcdctl{t, cmd, make(chan string, 1)}
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		e.locked <- strings.TrimSuffix(line, "\n")
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // both fail after end
	return e
}

// end interrupts it, whereupon it unlocks.
func (e *etcdctl) end() {
	e.t.Helper()
	if err := e.cmd.Process.Signal(unix.SIGINT); err != nil {
		e.t.Fatal(err)
	}
	_ = e.cmd.Wait() // interrupted is what it says
}

// TestEtcdctlLock: a session and `etcdctl lock` exclude each other both ways.
func TestEtcdctlLock(t *testing.T) {
	t.Parallel()
	path := buildEtcdctl(t)
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)

	tool := startEtcdctl(t, path, server.Endpoint, "lockside/nightly")
	key := await(t, "etcdctl's lock", tool.locked)
	session := h.dial(t)
	session.refused("LOCK nightly wait=0", ipc.CodeBusy)
	if r, before := session.ask("WHO nightly"); r.Fields.Int("count") != 1 {
		t.Errorf("WHO tells of %d entries: %v", r.Fields.Int("count"), before)
	}
	session.send("LOCK nightly")
	entries := awaitQueue(t, etcd, "nightly", 2)
	if string(entries[0].Key) != key {
		t.Errorf("etcdctl holds %s, and %s is first", key, entries[0].Key)
	}
	session.stillOpen(50 * time.Millisecond)
	tool.end()
	g := session.granted()

	tool = startEtcdctl(t, path, server.Endpoint, "lockside/nightly")
	awaitQueue(t, etcd, "nightly", 2)
	select {
	case key := <-tool.locked:
		t.Fatalf("etcdctl has %s beside the session", key)
	case <-time.After(50 * time.Millisecond):
	}
	session.check("nightly", g)
	session.unlock("nightly")
	if key := await(t, "etcdctl's lock", tool.locked); !strings.HasPrefix(key, "lockside/nightly/") {
		t.Errorf("etcdctl says %q", key)
	}
	tool.end()
	nothingLeft(t, etcd, atOnce)
}

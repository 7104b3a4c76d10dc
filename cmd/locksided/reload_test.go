package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// reloadPatience bounds each wait.
const reloadPatience = 30 * time.Second

// A running daemon, as its operator sees it.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	log    *bufio.Scanner
	socket string
}

// install puts the program of this test where a package would.
func install(t *testing.T, path string) {
	t.Helper()
	program, err := exec.LookPath("locksided") // testscript's, which is this test
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil { // as dpkg and rpm do
		t.Fatal(err)
	}
}

func startInstalled(t *testing.T, program, dir string) *running {
	t.Helper()
	r := &running{t: t, socket: filepath.Join(dir, "s")}
	r.cmd = exec.Command(program, "--config", filepath.Join(dir, "lockside.yaml"))
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.log = bufio.NewScanner(stderr)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, stderr)
		if err := r.cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	r.await("msg=Serving")
	return r
}

// await reads the log until there is a line with a text.
func (r *running) await(text string) string {
	r.t.Helper()
	late := time.AfterFunc(reloadPatience, func() { _ = r.cmd.Process.Kill() })
	defer late.Stop()
	var said []string
	for r.log.Scan() {
		said = append(said, r.log.Text())
		if strings.Contains(r.log.Text(), text) {
			return r.log.Text()
		}
	}
	r.t.Fatalf("no line with %q in the log:\n%s", text, strings.Join(said, "\n"))
	return ""
}

func (r *running) reload() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		r.t.Fatal(err)
	}
}

// ask writes a line and reads one.
func ask(t *testing.T, conn net.Conn, in *bufio.Reader, line string) string {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(reloadPatience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		t.Fatal(err)
	}
	reply, err := in.ReadString('\n')
	if err != nil {
		t.Fatalf("%s: %q, %v", line, reply, err)
	}
	return reply
}

// TestReload: HUP has the daemon read its configuration and go on in the program that
// is there now, with the same process and the same lock. One that cannot go on changes
// nothing.
func TestReload(t *testing.T) {
	server := etcdtest.Start(t)
	dir, err := os.MkdirTemp("", "ls")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	configure := func(more string) {
		t.Helper()
		text := "endpoints: " + server.Endpoint + "\nsocket: " + filepath.Join(dir, "s") + "\nstate-dir: " + filepath.Join(dir, "state") + "\n" + more
		if err := os.WriteFile(filepath.Join(dir, "lockside.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure("host: before\n")
	program := filepath.Join(dir, "locksided")
	install(t, program)
	r := startInstalled(t, program, dir)
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "unix", r.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	granted := ask(t, conn, in, "LOCK nightly")
	fence, _, _ := strings.Cut(strings.TrimPrefix(granted, "OK "), " ")
	held := func() {
		t.Helper()
		if reply := ask(t, conn, in, "CHECK nightly"); !strings.Contains(reply, fence) {
			t.Errorf("CHECK is answered %q after %q", reply, granted)
		}
	}

	configure("host: after\n")
	install(t, program)
	r.reload()
	if line := r.await("msg=Serving"); !strings.Contains(line, "host=after") {
		t.Errorf("the log says %q", line)
	}
	held()

	configure("hosts: wrong\n")
	r.reload()
	if line := r.await("Not reloaded"); !strings.Contains(line, "hosts") {
		t.Errorf("the log says %q", line)
	}
	held()

	configure("host: after\n")
	if err := os.WriteFile(program+".new", []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(program+".new", program); err != nil {
		t.Fatal(err)
	}
	r.reload()
	r.await("Not reloaded")
	held()

	configure("host: after\nprefix: other/\nhost: third\n"[len("host: after\n"):])
	install(t, program)
	r.reload()
	r.await("Not changed until the daemon is restarted")
	r.await("host=third")
	held()
}

// TestManyReloads: HUP after HUP, whatever the daemon is doing, costs no session.
func TestManyReloads(t *testing.T) {
	server := etcdtest.Start(t)
	m := startUnder(t, "5000000", "--endpoints", server.Endpoint)
	m.awaits("READY=1")
	conn, in := m.dial()
	granted := ask(t, conn, in, "LOCK nightly")
	fence, _, _ := strings.Cut(strings.TrimPrefix(granted, "OK "), " ")
	for range 5 {
		for range 60 {
			m.signal(syscall.SIGHUP)
			time.Sleep(5 * time.Millisecond) // some of them come while the next program starts
		}
		m.awaits("RELOADING=1", "READY=1")
		if reply := ask(t, conn, in, "CHECK nightly"); !strings.Contains(reply, fence) {
			t.Errorf("CHECK is answered %q after %q", reply, granted)
		}
	}
}

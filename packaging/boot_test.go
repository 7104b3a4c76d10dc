package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long a machine may take for one thing.
const patience = time.Minute

// A machine is a Debian that runs in a container with a systemd of its own, and
// with no network but its loopback.
type machine struct {
	t      *testing.T
	dir    string
	leader string // process id of its systemd
}

// debian is the directory of a Debian root that LOCKSIDE_TEST_ROOT asks for, made
// if it is not there yet. Making it takes some minutes and a mirror.
func debian(t *testing.T) string {
	t.Helper()
	cache := os.Getenv("LOCKSIDE_TEST_ROOT")
	if cache == "" {
		t.Skip("LOCKSIDE_TEST_ROOT names no directory for a Debian root")
	}
	if os.Geteuid() != 0 {
		t.Skip("booting a container takes root")
	}
	needs(t, "systemd-nspawn", "nsenter")
	root := filepath.Join(cache, "bookworm")
	if _, err := os.Stat(root); err == nil {
		return root
	}
	needs(t, "debootstrap")
	unfinished := root + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "debootstrap", "--variant=minbase",
		"--include=systemd-sysv,dbus,procps,socat", "bookworm", unfinished).CombinedOutput(); err != nil {
		t.Skipf("no Debian can be made here: %v\n%s", err, out)
	}
	if err := os.Rename(unfinished, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// boot starts a machine of a copy of the root, and has it end with the test.
func boot(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, dir: filepath.Join(t.TempDir(), "root")}
	says(t, "cp", "-a", "--reflink=auto", debian(t), m.dir)
	if out, err := exec.CommandContext(t.Context(), "systemd-nspawn", "--quiet", "--register=no", "--keep-unit",
		"--private-network", "--directory", m.dir, "/bin/true").CombinedOutput(); err != nil {
		t.Skipf("no container runs here: %v\n%s", err, out)
	}
	container := exec.Command("systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit",
		"--private-network", "--console=pipe", "--directory", m.dir)
	var console bytes.Buffer
	container.Stdout, container.Stderr = &console, &console
	if err := container.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- container.Wait() }()
	t.Cleanup(func() { m.end(container.Process, ended) })
	children := fmt.Sprintf("/proc/%d/task/%d/children", container.Process.Pid, container.Process.Pid)
	m.wait("a process", func() bool {
		pids, _ := os.ReadFile(children)
		m.leader = strings.TrimSpace(string(pids))
		return m.leader != ""
	})
	m.wait("the end of the boot", func() bool {
		out, _ := m.try("root", "systemctl is-system-running")
		return strings.Contains(out, "running") || strings.Contains(out, "degraded")
	})
	return m
}

// end turns the machine off, and pulls the plug if that takes too long.
func (m *machine) end(container *os.Process, ended <-chan error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if m.leader != "" {
		m.command(ctx, "root", "systemctl poweroff").Run()
	}
	select {
	case <-ended:
	case <-ctx.Done():
		container.Kill()
		<-ended
	}
}

// command runs a line of shell in the machine, as a user of it.
func (m *machine) command(ctx context.Context, user, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", "--target", m.leader, "--all", "--root", "--wd",
		"/usr/bin/env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8",
		"/usr/sbin/runuser", "-u", user, "--", "/bin/sh", "-c", "cd /root 2>/dev/null || cd /; "+line)
	cmd.WaitDelay = time.Second
	return cmd
}

func (m *machine) try(user, line string) (string, error) {
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	out, err := m.command(ctx, user, line).CombinedOutput()
	return string(out), err
}

// run runs a line that must succeed, and returns what it writes.
func (m *machine) run(user, line string) string {
	m.t.Helper()
	out, err := m.try(user, line)
	if err != nil {
		m.t.Fatalf("%s: %v\n%s\n%s", line, err, out, m.journal())
	}
	return out
}

// journal is the last that the units have said.
func (m *machine) journal() string {
	out, _ := m.try("root", "journalctl --no-pager -n 50 -u lockside.service -u lockside.socket")
	return out
}

// wait asks until it is so.
func (m *machine) wait(what string, isSo func() bool) {
	m.t.Helper()
	for until := time.Now().Add(patience); !isSo(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(until) {
			m.t.Fatalf("waited %s for %s\n%s", patience, what, m.journal())
		}
	}
}

// bring puts a package into root's home.
func (m *machine) bring(file string) {
	m.t.Helper()
	says(m.t, "cp", file, filepath.Join(m.dir, "root"))
}

// etcd starts one in the machine, at 127.0.0.1:2379. It is that of --embedded.
func (m *machine) etcd(program string) {
	m.t.Helper()
	says(m.t, "cp", program, filepath.Join(m.dir, "usr/local/sbin/etcd-in-locksided"))
	m.run("root", "systemd-run --quiet --unit=etcd --property=StateDirectory=etcd etcd-in-locksided --embedded"+
		" --embedded-listen 127.0.0.1:2379 --state-dir /var/lib/etcd --socket /run/etcd.sock")
}

// install is the commands that README.md shows to install the package.
func install(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```console install\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("README.md has no block \"console install\"")
	}
	var lines []string
	for _, line := range regexp.MustCompile(`(?m)^# (.*)$`).FindAllStringSubmatch(string(block[1]), -1) {
		lines = append(lines, line[1])
	}
	return lines
}

// holding counts the locks that are held, by their names and fences.
func (m *machine) holding() map[string]string {
	m.t.Helper()
	held := map[string]string{}
	entry := regexp.MustCompile(`(?m)^\s*(\S+)\s+holder\s+([0-9]+)`)
	for _, e := range entry.FindAllStringSubmatch(m.run("root", "lockside ls"), -1) {
		held[e[1]] = e[2]
	}
	return held
}

func (m *machine) running(command string) int {
	m.t.Helper()
	out, _ := m.try("root", "pgrep -fc '"+command+"'")
	n, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		m.t.Fatalf("pgrep says %q", out)
	}
	return n
}

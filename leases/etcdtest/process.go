package etcdtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// Process is a member in a process of its own.
type Process struct {
	// Endpoint is the client URL, the same after Restart.
	Endpoint string

	// URL is the client URL at the member's place, empty beside the test. Whatever
	// happens to the network, Endpoint goes on to work.
	URL string

	config config
	place  Place
	cmd    *exec.Cmd
	stdin  io.Closer // closing it ends the member
}

// Client makes a plain etcd client of this member alone, which the test's end closes.
func (p *Process) Client(t testing.TB) *clientv3.Client {
	t.Helper()
	return newClient(t, p.Endpoint)
}

// Stop freezes the member (SIGSTOP) and waits until it is frozen.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.signal(t, unix.SIGSTOP)
	if err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WSTOPPED, nil); err != nil {
		t.Fatalf("wait for a stopped etcd: %v", err)
	}
}

// Cont lets a frozen member go on (SIGCONT).
func (p *Process) Cont(t testing.TB) {
	t.Helper()
	p.signal(t, unix.SIGCONT)
}

// Ended reports whether a member that was started has ended by itself.
func (p *Process) Ended() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

// Close has the member end in order.
func (p *Process) Close() {
	if p.cmd == nil {
		return
	}
	_ = p.stdin.Close()
	_ = p.cmd.Wait() // what it says of its end is of no use
	p.cmd = nil
}

// Kill ends the member at once (SIGKILL), frozen or not. It keeps its data.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if p.cmd == nil {
		return
	}
	p.signal(t, unix.SIGKILL)
	_ = p.stdin.Close()
	_ = p.cmd.Wait() // killed is what it says
	p.cmd = nil
}

// Restart kills the member if it runs, and runs it again on its data. It does
// not return before the member serves, so a majority must be up.
func (p *Process) Restart(t testing.TB) {
	t.Helper()
	p.Kill(t)
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
}

func (p *Process) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if p.cmd == nil {
		t.Fatalf("signal etcd: %s is not running", p.config.Name)
	}
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatalf("signal etcd: %v", err)
	}
}

// start runs the member and waits until it serves. A program that has just been
// built may still be open for writing in a process that was forked meanwhile, which
// closes it as it executes: then it is tried again (https://go.dev/issue/22315).
func (p *Process) start() error {
	for {
		err := p.tryStart()
		if !errors.Is(err, syscall.ETXTBSY) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// tryStart is start once.
//
// It has a process group of its own: should the test die while the member is
// frozen, the kernel hangs up and wakes the orphaned group.
func (p *Process) tryStart() error {
	cmd, err := p.config.command()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.place.run(cmd.Start); err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	p.cmd, p.stdin = cmd, stdin
	if err := awaitReady(stdout); err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	return nil
}

// command runs the member as another release's program, or as this program.
func (c config) command() (*exec.Cmd, error) {
	if c.Program != "" {
		file, err := c.write()
		return exec.Command(c.Program, file), err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), memberVariable+"="+string(text))
	return cmd, nil
}

// awaitReady reads a member's only line of output.
func awaitReady(stdout io.ReadCloser) error {
	if f, ok := stdout.(*os.File); ok {
		if err := f.SetReadDeadline(time.Now().Add(startWithin)); err != nil {
			return err
		}
	}
	line := make([]byte, len(ready))
	if _, err := io.ReadFull(stdout, line); err != nil {
		return fmt.Errorf("no sign of readiness, does TestMain call etcdtest.Main? %w", err)
	}
	return nil
}

// leads reports whether the member says that it is the leader.
func (p *Process) leads(t testing.TB) bool {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{p.Endpoint}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := client.Status(ctx, p.Endpoint)
	return err == nil && s.Leader == s.Header.MemberId
}

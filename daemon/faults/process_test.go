package faults_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/daemon"
)

// Variables that make this program something else than a test.
const (
	daemonVariable = "LOCKSIDE_FAULTS_DAEMON" // a configuration
	clientVariable = "LOCKSIDE_FAULTS_CLIENT" // a socket
	bootVariable   = "LOCKSIDE_FAULTS_BOOT"   // seconds that CLOCK_BOOTTIME is ahead
)

// A process is a daemon or a client that can be frozen and killed.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
	ended bool
}

// start runs this program anew. Should the test die, its standard input ends,
// and so does it; being in a group of its own, a frozen one is woken for that.
func start(t testing.TB, variables ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), variables...)
	cmd.Stderr = t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, stdin: stdin, out: bufio.NewReader(stdout)}
	t.Cleanup(func() { p.kill() })
	return p
}

// startDaemon runs a host's daemon as a process and waits until it is ready.
func (h *host) startDaemon(t testing.TB) *process {
	t.Helper()
	text, err := json.Marshal(h.config)
	if err != nil {
		t.Fatal(err)
	}
	variables := []string{daemonVariable + "=" + string(text)}
	if h.boot != 0 {
		variables = append(variables, fmt.Sprintf("%s=%d", bootVariable, int64(h.boot.Seconds())))
	}
	p := start(t, variables...)
	if line := p.line(); line != "ready" {
		t.Fatalf("the daemon says %q", line)
	}
	return p
}

// line reads a line of the process's output, empty at its end.
func (p *process) line() string {
	text, err := p.out.ReadString('\n')
	if err != nil {
		return ""
	}
	return text[:len(text)-1]
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// freeze stops the process and waits until it stands.
func (p *process) freeze() {
	p.t.Helper()
	p.signal(unix.SIGSTOP)
	if err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WSTOPPED, nil); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits for the end of the process, which must be an exit with 0.
func (p *process) wait() {
	p.t.Helper()
	p.ended = true
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	if err := p.cmd.Wait(); err != nil {
		p.t.Error(err)
	}
	_ = p.stdin.Close()
}

// stop has a daemon end as TERM does.
func (p *process) stop() {
	p.t.Helper()
	p.signal(unix.SIGTERM)
	p.wait()
}

// kill ends the process at once, frozen or not.
func (p *process) kill() {
	if p.ended {
		return
	}
	p.ended = true
	_ = p.cmd.Process.Kill() // fails if it has ended, which is what is wanted
	_ = p.cmd.Wait()         // killed is what it says
	_ = p.stdin.Close()
}

// runAsDaemon serves until TERM if this process was started for it.
func runAsDaemon() {
	text, ok := os.LookupEnv(daemonVariable)
	if !ok {
		return
	}
	dieWithParent()
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM)
	defer stop()
	o := daemon.Options{
		Version:  "test",
		Logger:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Ready:    func() { fmt.Println("ready") },
		Upgrades: upgradesBySignal(),
	}
	err := json.Unmarshal([]byte(text), &o.Config)
	if err == nil {
		o.Resume, err = daemon.Inherit()
	}
	if err == nil {
		err = daemon.Run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// upgradesBySignal has a daemon go on in another program when HUP comes, which is this
// one again, and USR1 has it try one that there is not.
func upgradesBySignal() <-chan func(*daemon.Frozen) error {
	signals, upgrades := make(chan os.Signal, 1), make(chan func(*daemon.Frozen) error)
	signal.Notify(signals, unix.SIGHUP, unix.SIGUSR1)
	go func() {
		for s := range signals {
			program := "/proc/self/exe"
			if s == unix.SIGUSR1 {
				program = "/nowhere/locksided"
			}
			upgrades <- func(f *daemon.Frozen) error {
				err := f.Exec(program, os.Args)
				fmt.Println("not upgraded")
				return err
			}
		}
	}()
	return upgrades
}

// dieWithParent ends the process when its standard input does.
func dieWithParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
}

// runAsClient is `socat - UNIX:…` if this process was started for it.
func runAsClient() {
	path, ok := os.LookupEnv(clientVariable)
	if !ok {
		return
	}
	conn, err := net.DialTimeout("unix", path, 10*time.Second)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { _, _ = io.Copy(conn, os.Stdin) }()
	_, _ = io.Copy(os.Stdout, conn)
	os.Exit(0)
}

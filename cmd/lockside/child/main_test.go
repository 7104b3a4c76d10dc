package child_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/cmd/lockside/child"
)

// patience is how long a test waits for what must happen. It is only ever
// used up by a failure.
const patience = 20 * time.Second

// The test program is also the guard, and a supervisor that does little more
// than call Run: SIGPWR ends its context, SUPERVISE_… set the other fields.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "guard":
			if err := child.Guard(os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "supervise":
			os.Exit(supervise(os.Args[2:]))
		}
	}
	// With the race detector every process would sleep a second as it exits.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

func supervise(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGPWR)
	defer stop()
	signals := make(chan os.Signal, 8)
	child.Catch(signals, unix.SIGHUP, unix.SIGINT, unix.SIGTERM, unix.SIGUSR1)
	path, err := child.Find(args[0])
	if err != nil {
		return failed(err)
	}
	cmd := child.Command{
		Guard: []string{"/proc/self/exe", os.Args[0], "guard"},
		Path:  path, Args: args, Env: os.Environ(), Signals: signals,
		Grace:       duration("SUPERVISE_GRACE"),
		CancelGrace: duration("SUPERVISE_CANCEL_GRACE"),
	}
	if os.Getenv("SUPERVISE_KEEP") != "" { // descriptor 3, for ourselves
		unix.CloseOnExec(3)
		cmd.Keep = []*os.File{os.NewFile(3, "kept")}
	}
	if os.Getenv("SUPERVISE_RESUME") == "no" {
		cmd.Resume = func() error { return errors.New("no") }
	}
	status, err := child.Run(ctx, cmd)
	if err != nil {
		return failed(err)
	}
	if status.Interrupted() && os.Getenv("SUPERVISE_INTERRUPT") != "" {
		child.Interrupt(status.Terminal)
	}
	return status.ExitCode()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "supervise:", err)
	if refused, ok := errors.AsType[*child.StartError](err); ok {
		return refused.ExitCode()
	}
	return 99
}

func duration(variable string) time.Duration {
	d, err := time.ParseDuration(os.Getenv(variable))
	if err != nil {
		return patience // so that what must not be killed is not
	}
	return d
}

// supervised is a supervisor under test, with pipes to its command.
type supervised struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	end *os.File // where out reads
	out *bufio.Reader
}

// start has a supervisor run a command. Settings are variables of the
// environment; each file becomes a descriptor from 3 on.
func start(t *testing.T, settings []string, files []*os.File, args ...string) *supervised {
	t.Helper()
	s := &supervised{t: t, cmd: exec.Command("/proc/self/exe", append([]string{"supervise"}, args...)...)}
	s.cmd.Env = append(os.Environ(), settings...)
	s.cmd.ExtraFiles = files
	s.cmd.Stderr = t.Output()
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdout = writer
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	s.end, s.out = reader, bufio.NewReader(reader)
	t.Cleanup(func() {
		reader.Close()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	return s
}

// shell starts a script of the shell.
func shell(t *testing.T, script string, settings ...string) *supervised {
	t.Helper()
	return start(t, settings, nil, "sh", "-c", script)
}

// line reads the next line that the command writes.
func (s *supervised) line() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatalf("read a line: %q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// pid reads the next line as the pid of a process, and holds on to it.
func (s *supervised) pid() watched {
	s.t.Helper()
	return s.watch(s.line())
}

func (s *supervised) watch(line string) watched {
	s.t.Helper()
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil {
		s.t.Fatalf("read a pid from %q: %v", line, err)
	}
	return watch(s.t, pid)
}

func (s *supervised) signal(sig unix.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func (s *supervised) wantCode(want int) {
	s.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	_ = s.cmd.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		s.t.Errorf("exit code %d (%v), want %d", got, s.cmd.ProcessState, want)
	}
}

// wantEOF is for a tree that must be gone already: nobody can write any more.
func (s *supervised) wantEOF() {
	s.t.Helper()
	if err := s.end.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		s.t.Fatal(err)
	}
	if rest, err := io.ReadAll(s.out); err != nil {
		s.t.Errorf("read to the end: %q, %v", rest, err)
	}
}

// watched is a process that is no child of ours.
type watched struct {
	t   *testing.T
	pid int
	fd  int
}

func watch(t *testing.T, pid int) watched {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("watch process %d: %v", pid, err)
	}
	t.Cleanup(func() {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		unix.Close(fd)
	})
	return watched{t, pid, fd}
}

// gone reports whether the process has ended, within some time.
func (w watched) gone(within time.Duration) bool {
	w.t.Helper()
	poll := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, int(within.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		return err == nil && n == 1
	}
}

// wantState waits until the process is in one of the states, see
// proc_pid_stat(5).
func (w watched) wantState(states string) {
	w.t.Helper()
	eventually(w.t, func() error {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.pid))
		if err != nil {
			return err
		}
		state := string(stat[strings.LastIndexByte(string(stat), ')')+2])
		if !strings.Contains(states, state) {
			return fmt.Errorf("process %d is in state %s, want one of %s", w.pid, state, states)
		}
		return nil
	})
}

// eventually looks again and again, for what sends no event.
func eventually(t *testing.T, look func() error) {
	t.Helper()
	give := time.Now().Add(patience)
	for {
		err := look()
		if err == nil {
			return
		}
		if time.Now().After(give) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"lockside/ipc"
)

// patience is how long a script waits for what must happen. It is only ever
// used up by a failure.
const patience = 20 * time.Second

// A world is what one script has around it: a daemon, and programs that run.
type world struct {
	socket   string
	fake     *fake
	programs map[string]*program
	wg       sync.WaitGroup // the readers of their output
	drill    string         // a directory for temporary files of a drill
	ends     []func()       // what ends the resources
}

type program struct {
	cmd *exec.Cmd
	eof chan struct{} // closed once neither it nor a child of it can write

	mu     sync.Mutex // guards what follows
	output bytes.Buffer
}

func (p *program) read(pipe *os.File) {
	defer close(p.eof)
	defer pipe.Close()
	_, _ = io.Copy(p, pipe)
}

func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(text)
}

// text is what the program wrote to both of its streams so far.
func (p *program) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

type worldKey struct{}

func setup(env *testscript.Env) error {
	// A script's own folder may be too long a path for a socket.
	dir, err := os.MkdirTemp("", "lockside")
	if err != nil {
		return err
	}
	w := &world{socket: dir + "/sock", programs: map[string]*program{}, drill: dir + "/drill"}
	if err := os.Mkdir(w.drill, 0o777); err != nil {
		return err
	}
	env.Values[worldKey{}] = w
	env.Defer(func() {
		for _, p := range w.programs {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
		if w.fake != nil {
			w.fake.close()
		}
		w.wg.Wait()
		for _, end := range w.ends {
			end()
		}
		os.RemoveAll(dir)
	})
	env.Setenv("LOCKSIDE_SOCKET", w.socket)
	env.Setenv("DRILL", w.drill)
	if bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(bins) > 0 { // Debian's, for [exec:postgres]
		env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+bins[len(bins)-1])
	}
	// With the race detector every process would sleep a second as it exits.
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	return nil
}

// command makes a method a command of the scripts.
func command(run func(*world, *testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, negated bool, args []string) {
		if negated {
			ts.Fatalf("this command cannot be negated")
		}
		ts.Check(run(ts.Value(worldKey{}).(*world), ts, args))
	}
}

// daemon starts the fake.
func (w *world) daemon(_ *testscript.TestScript, _ []string) (err error) {
	w.fake, err = startFake(w.socket)
	return err
}

// stop ends the fake, and every session with it.
func (w *world) stop(_ *testscript.TestScript, _ []string) error {
	w.fake.close()
	w.fake = nil
	return nil
}

// ready waits until the daemon and its store are well.
func (w *world) ready(ts *testscript.TestScript, _ []string) error {
	return eventually(func() error { return ts.Exec("lockside", "status") })
}

// deny CODE has every LOCK refused.
func (w *world) deny(_ *testscript.TestScript, args []string) error {
	w.fake.mu.Lock()
	defer w.fake.mu.Unlock()
	w.fake.refusal = (&ipc.Error{Code: ipc.Code(args[0]), Text: "the script says so"})
	return nil
}

// lose NAME REASON ends the holder's session; the reason eof is not told.
func (w *world) lose(_ *testscript.TestScript, args []string) error {
	return w.fake.lose(args[0], ipc.Reason(args[1]))
}

// queue NAME ROLE... waits until a name's queue is exactly that.
func (w *world) queue(_ *testscript.TestScript, args []string) error {
	want := strings.Join(args[1:], " ")
	return eventually(func() error {
		if got := w.fake.queue(args[0]); got != want {
			return fmt.Errorf("the queue of %s is %q, want %q", args[0], got, want)
		}
		return nil
	})
}

// start ID PROGRAM ARGS... runs a program in the background.
func (w *world) start(ts *testscript.TestScript, args []string) error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer writer.Close()
	// env(1) looks the program up along the script's own PATH.
	p := &program{cmd: exec.Command("env", args[1:]...), eof: make(chan struct{})}
	p.cmd.Env = environment(ts)
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Stdout, p.cmd.Stderr = writer, writer
	if err := p.cmd.Start(); err != nil {
		reader.Close()
		return err
	}
	w.programs[args[0]] = p
	w.wg.Go(func() { p.read(reader) })
	return nil
}

// gone ID checks that no process is left of a program that was started.
func (w *world) gone(_ *testscript.TestScript, args []string) error {
	select {
	case <-w.programs[args[0]].eof:
		return nil
	case <-time.After(time.Second): // Such processes would run for ever.
		return fmt.Errorf("processes of %s are left", args[0])
	}
}

// environment has what scripts may have set for the program.
func environment(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, name := range []string{"PATH", "GORACE", ipc.SocketVariable, "LOCKSIDE_NAME", "TMPDIR"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// shows ID TEXT waits until a program has written a text.
func (w *world) shows(_ *testscript.TestScript, args []string) error {
	p := w.programs[args[0]]
	return eventually(func() error {
		if got := p.text(); !strings.Contains(got, args[1]) {
			return fmt.Errorf("%s wrote %q, want %q in it", args[0], got, args[1])
		}
		return nil
	})
}

// signal ID NAME sends a program a signal.
func (w *world) signal(_ *testscript.TestScript, args []string) error {
	return w.programs[args[0]].cmd.Process.Signal(unix.SignalNum("SIG" + args[1]))
}

// exits CODE ID waits for a program that was started, and exits CODE PROGRAM
// ARGS... runs one. The exit code must be that.
func (w *world) exits(ts *testscript.TestScript, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if p := w.programs[args[1]]; p != nil && len(args) == 2 {
		timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
		defer timer.Stop()
		err = p.cmd.Wait()
		ts.Logf("[%s]\n%s", args[1], p.text())
	} else {
		err = ts.Exec(args[1], args[2:]...)
	}
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got, err = exit.ExitCode(), nil
	}
	if err == nil && got != want {
		return fmt.Errorf("exit code %d, want %d", got, want)
	}
	return err
}

// eventually looks again and again, for what sends no event.
func eventually(look func() error) error {
	for give := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if err := look(); err == nil || time.Now().After(give) {
			return err
		}
	}
}

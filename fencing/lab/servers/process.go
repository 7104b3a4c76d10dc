package servers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// startTimeout bounds the wait for a server to answer.
	startTimeout = 60 * time.Second

	// probeTimeout bounds a single question: a server that takes a connection as
	// it starts may never answer it.
	probeTimeout = 5 * time.Second

	// stopTimeout bounds the wait for a server to end when asked.
	stopTimeout = 10 * time.Second
)

// A command is a server's program and how to run it.
type command struct {
	name   string // of the log file, once in a directory
	dir    string // working directory, and where the log goes
	path   string
	args   []string
	data   string              // below dir, where the server keeps what it must not lose
	env    []string            // beside our own
	input  *os.File            // is the standard input; nothing when nil
	output *os.File            // takes the standard output, which the log does when nil
	user   *syscall.Credential // nil for our own
	stop   syscall.Signal      // what asks it to end; 0 is TERM
}

// A process is a server that was started, and may be again.
type process struct {
	command
	probe func(context.Context) error // passes once it serves

	mu     sync.Mutex // guards what follows
	life   *life
	killed bool // by us, and not started again
}

// A life is one from a process's start to its end.
type life struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // why, once it has ended
}

// start runs a server. Its output goes to a file, of which an error shows the
// end. It has a process group of its own, so that a terminal's Ctrl-C reaches
// only us, who then stop it in order.
func start(c command) (*process, error) {
	l, err := c.run(os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	return &process{command: c, life: l}, nil
}

// run begins a life, whose log is opened with a flag more.
func (c command) run(flag int) (*life, error) {
	log, err := os.OpenFile(c.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND|flag, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	defer log.Close()
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, append(os.Environ(), c.env...), log, log
	if c.input != nil {
		cmd.Stdin = c.input
	}
	if c.output != nil {
		cmd.Stdout = c.output
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: c.user}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	l := &life{cmd: cmd, ended: make(chan struct{})}
	go func() { // ends with the process, which halt waits for
		l.err = cmd.Wait()
		close(l.ended)
	}()
	return l, nil
}

func (c command) log() string { return filepath.Join(c.dir, c.name+".log") }

// now is the life that the process has, or had last.
func (p *process) now() *life {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life
}

// ready waits until a probe succeeds. It fails when the process ends, when the
// context does, or after a minute.
func (p *process) ready(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	l := p.now()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := attempt(ctx, probe)
		if err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-l.ended:
			return fmt.Errorf("%s ended as it started: %v; its log ends:\n%s", p.name, l.err, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w: %w", p.name, context.Cause(ctx), err)
		}
	}
}

// attempt probes once.
func attempt(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return probe(ctx)
}

// tail is the end of the log.
func (p *process) tail() []byte {
	text, err := os.ReadFile(p.log())
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], nil)
}

// halt asks the process to end, kills it if it does not, and waits.
func (p *process) halt() {
	signal := p.stop
	if signal == 0 {
		signal = syscall.SIGTERM
	}
	p.end(signal, stopTimeout)
}

// end sends a signal, and KILL when that does not end the process in time. It
// reports whether the signal sufficed. A frozen process is thawed to see it.
func (p *process) end(signal syscall.Signal, within time.Duration) bool {
	p.mu.Lock()
	p.killed = true
	l := p.life
	p.mu.Unlock()
	_ = l.cmd.Process.Signal(signal) // fails if it has ended, which is what is wanted
	_ = l.cmd.Process.Signal(syscall.SIGCONT)
	select {
	case <-l.ended:
		return true
	case <-time.After(within):
		_ = l.cmd.Process.Kill()
		<-l.ended
		return false
	}
}

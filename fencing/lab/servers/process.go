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
	name string // of the log file, once in a directory
	dir  string // working directory, and where the log goes
	path string
	args []string
	user *syscall.Credential // nil for our own
	stop syscall.Signal      // what asks it to end; 0 is TERM
}

// A process is a server that was started.
type process struct {
	command
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // why, once it has ended
}

// start runs a server. Its output goes to a file, of which an error shows the
// end. It has a process group of its own, so that a terminal's Ctrl-C reaches
// only us, who then stop it in order.
func start(c command) (*process, error) {
	log, err := os.Create(filepath.Join(c.dir, c.name+".log"))
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	defer log.Close()
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: c.user}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	p := &process{command: c, cmd: cmd, ended: make(chan struct{})}
	go func() { // ends with the process, which stop waits for
		p.err = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// ready waits until a probe succeeds. It fails when the process ends, when the
// context does, or after a minute.
func (p *process) ready(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := attempt(ctx, probe)
		if err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-p.ended:
			return fmt.Errorf("%s ended as it started: %v; its log ends:\n%s", p.name, p.err, p.tail())
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
	text, err := os.ReadFile(filepath.Join(p.dir, p.name+".log"))
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
	_ = p.cmd.Process.Signal(signal) // fails if it has ended, which is what is wanted
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// A group is processes that are stopped together.
type group []*process

// Stop ends all processes and waits for them.
func (g group) Stop() {
	var wg sync.WaitGroup
	for _, p := range g {
		wg.Go(p.halt)
	}
	wg.Wait()
}

// startGroup starts all, or none, and waits until each passes its probe.
func startGroup(ctx context.Context, commands []command, probe func(ctx context.Context, i int) error) (group, error) {
	var g group
	for _, c := range commands {
		p, err := start(c)
		if err != nil {
			g.Stop()
			return nil, err
		}
		g = append(g, p)
	}
	for i, p := range g {
		if err := p.ready(ctx, func(ctx context.Context) error { return probe(ctx, i) }); err != nil {
			g.Stop()
			return nil, err
		}
	}
	return g, nil
}

package servers

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Freeze stops the process of that number as SIGSTOP does, and returns once it
// stands still.
func (g group) Freeze(i int) error {
	l := g[i].now()
	if err := l.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("freeze %s: %w", g[i].name, err)
	}
	if err := unix.Waitid(unix.P_PID, l.cmd.Process.Pid, nil, unix.WSTOPPED, nil); err != nil {
		return fmt.Errorf("freeze %s: %w", g[i].name, err)
	}
	return nil
}

// Thaw lets the process of that number go on.
func (g group) Thaw(i int) error {
	if err := g[i].now().cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("thaw %s: %w", g[i].name, err)
	}
	return nil
}

// Kill ends the process of that number as kill -9 does, frozen or not, and
// returns once it has ended and the kernel has closed what it had open.
func (g group) Kill(i int) { g[i].end(syscall.SIGKILL, stopTimeout) }

// Restart runs the process of that number anew after Kill, on the files and
// ports that it had. Its log goes on. It returns once it serves, or with an
// error when that takes a minute.
func (g group) Restart(ctx context.Context, i int) error {
	if err := g.revive(i); err != nil {
		return err
	}
	return g.Ready(ctx, i)
}

// revive begins a new life.
func (g group) revive(i int) error {
	p := g[i]
	l, err := p.run(0)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.life, p.killed = l, false
	p.mu.Unlock()
	return nil
}

// Ended tells of a process that has ended although nobody here ended it.
func (g group) Ended() error {
	for _, p := range g {
		p.mu.Lock()
		l, killed := p.life, p.killed
		p.mu.Unlock()
		select {
		case <-l.ended:
			if !killed {
				return fmt.Errorf("%s ended by itself: %v; its log ends:\n%s", p.name, l.err, p.tail())
			}
		default:
		}
	}
	return nil
}

// Descriptors is how many files all processes have open together.
func (g group) Descriptors() (int, error) {
	sum := 0
	for _, p := range g {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.now().cmd.Process.Pid))
		if err != nil {
			return 0, fmt.Errorf("count the open files of %s: %w", p.name, err)
		}
		sum += len(open)
	}
	return sum, nil
}

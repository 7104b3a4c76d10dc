package child

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the state of one Run. One goroutine owns it.
type supervisor struct {
	cmd     Command
	tty     *terminal
	control control
	guard   *exec.Cmd
	jobs    chan os.Signal // signals of job control

	shared bool // others in a pipeline may want the terminal
	group  int  // the command's process group, 0 before it runs
	ended  bool // the command has, with this status
	status Status
	err    error
	gone   bool // so is the tree, says the guard
}

// catchJobs has to be repeated after a stop, which sets SIGTSTP back.
func (s *supervisor) catchJobs() {
	Catch(s.jobs, unix.SIGTSTP, unix.SIGCONT, unix.SIGWINCH)
}

func (s *supervisor) run(ctx context.Context) (Status, error) {
	s.shared = inPipeline()
	messages := make(chan message)
	var wg sync.WaitGroup
	wg.Go(func() { s.control.listen(messages) })
	s.watch(ctx, messages)
	s.control.Close() // The guard waits for this.
	for range messages {
	}
	wg.Wait()
	err := s.guard.Wait()
	s.tty.takeBack()
	if !s.gone && s.err == nil {
		s.err = fmt.Errorf("%w (%v)", ErrGuardDied, err)
		s.replaceGuard()
	}
	return s.status, s.err
}

// watch returns when the guard says that the tree is gone, or is gone itself.
func (s *supervisor) watch(ctx context.Context, messages <-chan message) {
	done := ctx.Done()
	for !s.gone {
		select {
		case m, ok := <-messages:
			if !ok {
				return
			}
			s.hear(m)
		case sig := <-s.cmd.Signals:
			s.pass(sig)
		case sig := <-s.jobs:
			if sig == unix.SIGCONT {
				s.offer()
			}
			s.pass(sig)
		case <-done:
			done = nil
			s.end(s.cmd.CancelGrace)
		}
	}
}

func (s *supervisor) hear(m message) {
	switch m.verb {
	case tellStarted:
		s.group = m.n
		s.offer()
	case tellRefused:
		s.err = &StartError{Name: s.cmd.Args[0], Err: syscall.Errno(m.n)}
	case tellStopped:
		s.stopped(unix.Signal(m.n))
	case tellFrozen:
		s.pause()
	case tellEnded:
		s.ended = true
		s.status = Status{wait: unix.WaitStatus(m.n), Terminal: s.tty.borrowed()}
		s.tty.takeBack()
		s.end(s.cmd.Grace)
	case tellGone:
		s.gone = true
	}
}

// stopped acts when the command has been stopped. Without a terminal nobody
// but the one who did it is meant to continue it.
func (s *supervisor) stopped(sig unix.Signal) {
	wanted := sig == unix.SIGTTIN || sig == unix.SIGTTOU
	switch {
	case s.tty == nil:
	case wanted && s.tty.foreground():
		s.tty.lend(s.group)
		s.pass(unix.SIGCONT)
	case wanted && s.tty.group() == s.group: // It asked before it was lent.
		s.pass(unix.SIGCONT)
	default:
		s.tty.takeBack()
		s.ask(askFreeze, 0)
	}
}

// pause stops us like the command, and brings it back when we are continued,
// unless it may not run any more.
func (s *supervisor) pause() {
	if s.ended {
		return
	}
	stopJob()
	s.catchJobs()
	if s.cmd.Resume != nil && s.cmd.Resume() != nil {
		s.end(0)
		return
	}
	s.offer()
	s.ask(askThaw, 0)
	s.pass(unix.SIGCONT)
}

// offer lends the command the terminal if it is ours to lend.
func (s *supervisor) offer() {
	if s.group != 0 && !s.ended && !s.shared && s.tty.foreground() {
		s.tty.lend(s.group)
	}
}

func (s *supervisor) pass(sig os.Signal) {
	if sig, ok := sig.(syscall.Signal); ok {
		s.ask(askSignal, int(sig))
	}
}

func (s *supervisor) end(grace time.Duration) { s.ask(askEnd, int(grace)) }

// ask has nobody to ask once the guard is gone, which watch is about to see.
func (s *supervisor) ask(verb string, n int) {
	_ = s.control.send(verb, n)
}

// replaceGuard kills what a dead guard left behind. All of it is below us now
// that the guard has been waited for.
func (s *supervisor) replaceGuard() {
	if !s.ended {
		s.status.wait = unix.WaitStatus(unix.SIGKILL)
	}
	for pause := firstPause; reapAll(nil); pause = min(2*pause, lastPause) {
		if tree, err := descendants(); err == nil {
			signalAll(tree, unix.SIGKILL)
		}
		time.Sleep(pause)
	}
}

package drill

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// A process is one of the drill's, which ends with it at the latest.
type process struct {
	cmd *exec.Cmd
	wg  sync.WaitGroup

	ended chan struct{} // closed once it has been waited for
}

// start starts a process in a group of its own, so that ^C at the terminal is for
// the drill alone. The kernel kills it, stopped or not, when the thread ends that
// called start: the caller has locked itself to it.
func start(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	p.wg.Go(func() {
		_ = cmd.Wait() // How it ended is in its state.
		close(p.ended)
	})
	return p, nil
}

// stop stops it, and returns once all its threads stand still.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(unix.SIGSTOP); err != nil {
		return fmt.Errorf("stop a process: %w", err)
	}
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("stop a process: %w", err)
		case info.Code != cldStopped:
			return errors.New("stop a process: it has ended")
		default:
			return nil
		}
	}
}

// cldStopped is CLD_STOPPED of sigaction(2).
const cldStopped = 5

// goOn has a process that was stopped go on.
func (p *process) goOn() error { return p.cmd.Process.Signal(unix.SIGCONT) }

// kill ends it, even if it is stopped, and waits for that.
func (p *process) kill() {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return // There is nothing left to be done about it.
	}
	p.wg.Wait()
}

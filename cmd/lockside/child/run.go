package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrGuardDied tells that the guard ended before the tree, which was then
// killed.
var ErrGuardDied = errors.New("guard process died, its command was killed")

// Run executes the command and returns when its whole tree of processes is
// gone. Once ctx is done it ends the tree, with CancelGrace. Only one Run may
// be under way in a process, and no other child process may be.
//
// The error is a *StartError if the command cannot be executed, ErrGuardDied,
// or tells that no guard can be started. The status counts with ErrGuardDied
// as well.
func Run(ctx context.Context, cmd Command) (Status, error) {
	if err := subreap(); err != nil {
		return Status{}, err
	}
	tty := openTerminal()
	defer tty.close()
	control, guard, err := startGuard(cmd)
	if err != nil {
		return Status{}, err
	}
	defer control.Close()
	// While the command has the terminal, neither taking it back nor writing
	// to it may stop us. The guard, started before, does not inherit this.
	signal.Ignore(unix.SIGTTOU)
	defer setDefault(unix.SIGTTOU)

	s := &supervisor{cmd: cmd, tty: tty, control: control, guard: guard, jobs: make(chan os.Signal, 8)}
	s.catchJobs()
	defer signal.Stop(s.jobs)
	return s.run(ctx)
}

// startGuard executes this program once more, as the leader of a process group
// of its own, and returns our end of the control socket.
func startGuard(cmd Command) (control, *exec.Cmd, error) {
	ours, guards, err := newControl()
	if err != nil {
		return control{}, nil, err
	}
	defer guards.Close()
	fds, err := inheritable(append([]*os.File{guards.file}, cmd.Keep...))
	if err != nil {
		ours.Close()
		return control{}, nil, err
	}
	guard := &exec.Cmd{
		Path:        cmd.Guard[0],
		Args:        append(append(cmd.Guard[1:len(cmd.Guard):len(cmd.Guard)], fds, cmd.Path), cmd.Args...),
		Env:         cmd.Env,
		Stdin:       os.Stdin,
		Stdout:      os.Stdout,
		Stderr:      os.Stderr,
		SysProcAttr: &unix.SysProcAttr{Setpgid: true},
	}
	if err := guard.Start(); err != nil {
		ours.Close()
		return control{}, nil, fmt.Errorf("start guard: %w", err)
	}
	return ours, guard, nil
}

// inheritable lets the guard inherit files under the numbers they have here.
// (Those of exec.Cmd.ExtraFiles would take the place of files which the
// command is to inherit from our own parent.) The guard is the only process
// we start, so no other gets them.
func inheritable(files []*os.File) (string, error) {
	var fds []string
	for _, file := range files {
		conn, err := file.SyscallConn()
		if err != nil {
			return "", fmt.Errorf("pass file to guard: %w", err)
		}
		err = conn.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETFD, 0)
			fds = append(fds, strconv.Itoa(int(fd)))
		})
		if err != nil {
			return "", fmt.Errorf("pass file to guard: %w", err)
		}
	}
	return strings.Join(fds, ","), nil
}

package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminal is our controlling terminal and whom we lent it to. The nil
// terminal stands for none.
type terminal struct {
	fd   int
	lent int // the process group that has it from us, or 0
}

// openTerminal returns nil if there is no controlling terminal.
func openTerminal() *terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &terminal{fd: fd}
}

func (t *terminal) close() {
	if t != nil {
		unix.Close(t.fd)
	}
}

// group is the process group in the foreground, 0 if that cannot be told.
func (t *terminal) group() int {
	if t == nil {
		return 0
	}
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

func (t *terminal) foreground() bool { return t.group() == unix.Getpgrp() }

// borrowed reports whether another process group has the terminal from us.
func (t *terminal) borrowed() bool { return t != nil && t.lent != 0 }

// lend gives the terminal to another process group.
func (t *terminal) lend(group int) {
	if unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group) == nil {
		t.lent = group
	}
}

// takeBack makes ours the foreground again, whoever the borrower passed the
// terminal on to. We are in the background meanwhile, so the caller must have
// SIGTTOU ignored.
func (t *terminal) takeBack() {
	if !t.borrowed() {
		return
	}
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, unix.Getpgrp())
	t.lent = 0
}

// inPipeline reports whether other programs stand beside us in a pipeline,
// which may want the terminal for themselves.
func inPipeline() bool {
	for _, file := range []*os.File{os.Stdin, os.Stdout} {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			return true
		}
	}
	return false
}

package child

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Command says what to run and how to end it.
type Command struct {
	// Guard is how this program is made to call [Guard]: the path of its
	// executable, then its arguments from argv[0] on. Run adds others.
	Guard []string

	// Path is the executable, as [Find] tells, and Args its arguments from
	// argv[0] on.
	Path string
	Args []string

	// Env is the whole environment of the command.
	Env []string

	// Keep are files that stay open until the tree is gone, even if the
	// caller of Run dies before. The command does not get them.
	Keep []*os.File

	// Signals are passed on to the command's process group.
	Signals <-chan os.Signal

	// Grace is the time between TERM and KILL for processes that the command
	// leaves behind.
	Grace time.Duration

	// CancelGrace is the time between TERM and KILL once the context of Run
	// is done.
	CancelGrace time.Duration

	// Resume is asked after a stop, before any process of the tree runs on.
	// An error means that none may: the tree gets KILL at once.
	Resume func() error
}

// Status is how a command ended.
type Status struct {
	wait unix.WaitStatus

	// Terminal is set if the command had the terminal when it ended.
	Terminal bool
}

// ExitCode is the command's own exit code, or 128+n if signal n ended it.
func (s Status) ExitCode() int {
	if s.wait.Signaled() {
		return 128 + int(s.wait.Signal())
	}
	return s.wait.ExitStatus()
}

// Interrupted reports whether SIGINT ended the command.
func (s Status) Interrupted() bool {
	return s.wait.Signaled() && s.wait.Signal() == unix.SIGINT
}

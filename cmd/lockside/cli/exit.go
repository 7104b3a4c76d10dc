package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"lockside/cmd/lockside/child"
	"lockside/ipc"
)

// Exit codes. Where sysexits(3) has a meaning that fits, it is that one.
const (
	exitFailure     = 1
	exitUsage       = 64
	exitUnavailable = 69
	exitLost        = 70
	exitNotGranted  = 75
	exitDenied      = 77
	exitSignal      = 128 // and the signal's number
)

const usageHint = "see lockside --help"

const exitCodes = `Exit codes:
  the command's own, or 128+n if signal n ended it or the wait
  64   the command line is wrong
  69   the daemon or etcd is not available
  70   the lock was lost while the command ran, which was then ended
  75   not granted in time (-E sets another code)
  77   this user may not have it
  126  the command cannot be executed
  127  the command is not found`

// exitError is an error with an exit code of its own and, if it helps, a hint
// at what to do. Without err it is a code alone and nothing is written.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is what is wrong with a command line that could be read.
func usageError(text string) error {
	return &exitError{code: exitUsage, err: errors.New(text), hint: usageHint}
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

// exit writes what there is to say about an error, and returns its exit code.
func (a *app) exit(err error) int {
	if err == nil {
		return 0
	}
	e := a.classify(err)
	if e.err != nil {
		a.errorf(e.hint, "%v", e.err)
	}
	return e.code
}

// classify finds the exit code of any error.
func (a *app) classify(err error) *exitError {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*signalError](err); ok {
		return &exitError{code: exitSignal + int(e.signal)}
	}
	if e, ok := errors.AsType[*child.StartError](err); ok {
		return &exitError{code: e.ExitCode(), err: err}
	}
	if e, ok := errors.AsType[*ipc.Error](err); ok {
		return &exitError{code: replyCode(e.Code), err: err}
	}
	switch {
	case errors.Is(err, ipc.ErrLost):
		return &exitError{code: exitUnavailable, err: err}
	case !a.parsed:
		return &exitError{code: exitUsage, err: err, hint: usageHint}
	}
	return &exitError{code: exitFailure, err: err}
}

// replyCode is the exit code of what the daemon answered.
func replyCode(code ipc.Code) int {
	switch code {
	case ipc.CodeBusy, ipc.CodeTimeout, ipc.CodeCancelled:
		return exitNotGranted
	case ipc.CodeDenied:
		return exitDenied
	case ipc.CodeBadRequest, ipc.CodeTooLong, ipc.CodeHeld, ipc.CodeNotHeld, ipc.CodeOrder:
		return exitUsage
	}
	return exitUnavailable
}

const startHint = "start the daemon with `systemctl start lockside.socket`, or name its socket with --socket"

// dialHint says what helps when the daemon cannot be reached.
func dialHint(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return startHint
	case errors.Is(err, fs.ErrPermission):
		return "add the user to the socket's group, usually lockside"
	}
	return ""
}

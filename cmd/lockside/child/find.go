package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// StartError tells that a command cannot be executed.
type StartError struct {
	Name string
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("execute %s: %v", e.Name, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }

// ExitCode is what shells use: 127 if there is no such file, else 126.
func (e *StartError) ExitCode() int {
	if errors.Is(e.Err, fs.ErrNotExist) || errors.Is(e.Err, exec.ErrNotFound) {
		return 127
	}
	return 126
}

// Find looks a command up along PATH, as execvp(3) does. A file in the current
// folder is found if PATH names that folder. The error is a *StartError.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return path, nil
	}
	if inner, ok := errors.AsType[*exec.Error](err); ok {
		err = inner.Err
	}
	return "", &StartError{Name: name, Err: err}
}

// execute starts the command in a process group of its own, and has the kernel
// kill it when the calling thread ends. Like execvp(3) it gives a file of
// unknown format to the shell.
func execute(path string, args []string, env []string) (int, error) {
	attr := &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	}
	pid, err := syscall.ForkExec(path, args, attr)
	if errors.Is(err, unix.ENOEXEC) {
		args = append([]string{"sh", path}, args[1:]...)
		pid, err = syscall.ForkExec("/bin/sh", args, attr)
	}
	return pid, err
}

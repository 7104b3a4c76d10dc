// Package handover hands what a program knows, and its open files, to the program that
// takes its place in the same process: execve(2) with a memory file, memfd_create(2).
//
// Until execve has succeeded nothing is given away, and a program that fails after it
// has the files closed by the kernel, so that whoever is at their other end reads
// end-of-file.
package handover

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// variable is the environment's name for the descriptor of the memory file.
const variable = "LOCKSIDE_HANDOVER"

// Exec replaces this program by another, in the same process, and leaves it the text,
// for Take, and some descriptors under the numbers that they have. It returns only with
// an error, which says why the program goes on, with nothing changed.
func Exec(program string, args, env []string, text []byte, descriptors []int) error {
	file, err := memory(text)
	if err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	defer file.Close()
	fd := int(file.Fd())
	kept := append([]int{fd}, descriptors...)
	for i, d := range kept {
		if err := closeOnExec(d, false); err != nil {
			return fmt.Errorf("hand over: %w", errors.Join(err, keep(kept[:i])))
		}
	}
	env = append(without(env), variable+"="+strconv.Itoa(fd))
	err = &os.PathError{Op: "exec", Path: program, Err: syscall.Exec(program, args, env)}
	return fmt.Errorf("hand over: %w", errors.Join(err, keep(kept)))
}

// Take is the text that was left to this program, and nil if it was started anew. The
// environment tells nobody else of it.
func Take() ([]byte, error) {
	value, ok := os.LookupEnv(variable)
	if !ok {
		return nil, nil
	}
	if err := os.Unsetenv(variable); err != nil {
		return nil, err
	}
	fd, err := strconv.Atoi(value)
	if err != nil {
		return nil, fmt.Errorf("%s is no descriptor: %q", variable, value)
	}
	if err := closeOnExec(fd, true); err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	file := os.NewFile(uintptr(fd), variable)
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read what was handed over: %w", err)
	}
	return text, nil
}

// File takes a descriptor that was left to this program.
func File(fd int, name string) (*os.File, error) {
	if err := closeOnExec(fd, true); err != nil {
		return nil, fmt.Errorf("take %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// memory makes a memory file that is read from its beginning.
func memory(text []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("lockside", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "lockside")
	if _, err = file.Write(text); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// keep has descriptors be this program's alone again.
func keep(descriptors []int) (err error) {
	for _, d := range descriptors {
		err = errors.Join(err, closeOnExec(d, true))
	}
	return err
}

func closeOnExec(fd int, on bool) error {
	flags := 0
	if on {
		flags = unix.FD_CLOEXEC
	}
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, flags)
	return os.NewSyscallError("fcntl", err)
}

// without is an environment that tells of no hand-over.
func without(env []string) (rest []string) {
	for _, pair := range env {
		if !strings.HasPrefix(pair, variable+"=") {
			rest = append(rest, pair)
		}
	}
	return rest
}

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes, of which all but exitFailure are sysexits(3).
const (
	exitFailure = 1
	exitUsage   = 64
	exitConfig  = 78
)

// exitError is an error with an exit code of its own.
type exitError struct {
	error
	code int
}

func (e *exitError) Unwrap() error { return e.error }

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return exitFailure
}

// report writes an error, each of its lines with the program's name before it.
func report(w io.Writer, err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "locksided: %s\n", strings.TrimSuffix(line, "\n"))
	}
	if exitCode(err) == exitUsage {
		fmt.Fprintln(w, "locksided: see locksided --help")
	}
}

// usage marks what is wrong with the command line itself.
func usage(_ *cobra.Command, err error) error { return &exitError{err, exitUsage} }

// noArgs is [cobra.NoArgs] with the exit code of usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return usage(cmd, err)
	}
	return nil
}

// Command lab measures lockside beside other ways to lock, strikes all of them,
// and soaks lockside under faults. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"lockside/fencing/lab/actor"
	"lockside/fencing/lab/crowd"
)

// errInterrupted is why a run ends before its time when someone wants it to.
var errInterrupted = errors.New("interrupted")

func main() {
	crowd.Main()
	actor.Main()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out a command line and returns the exit code. The first signal
// stops the servers in good order; the second one ends the process at once, and
// the kernel ends the servers.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(signals, func() {
		stop()
		cancel(errInterrupted)
	})
	root := &cobra.Command{
		Use:           "lab",
		Short:         "Compare lockside with other ways to lock, or soak it under faults",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(speedCommand(), soakCommand(), safetyCommand())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "lab: %v\n", err)
		return 1
	}
	return 0
}

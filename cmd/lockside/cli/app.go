package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"lockside/cmd/version"
	"lockside/ipc"
)

// app is one run of the program: its streams and the global flags.
type app struct {
	argv0  string
	stdout io.Writer
	stderr io.Writer

	socket string
	json   bool
	parsed bool // the command line is right: what fails now is no usage error
}

const about = `lockside runs commands under locks that this host's locksided holds in etcd.

A lock has a fence, a number that is greater with every grant of a name. Give
it to what the command changes, so that a holder of the past is refused.`

const examples = `  # One backup at a time in the whole cluster; others give up after a minute.
  lockside run -w 1m nightly -- backup --all

  # Two locks at once, or none.
  lockside run db/1 db/2 -- migrate

  # Who holds it, and who waits?
  lockside who nightly`

// Main carries out a command line, argv[0] first, and returns the exit code.
func Main(argv []string, stdout, stderr io.Writer) int {
	a := &app{argv0: argv[0], stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(argv[1:])
	root.SetOut(stdout)
	root.SetErr(stderr)
	return a.exit(root.ExecuteContext(context.Background()))
}

// Commands is the tree of commands, for those who describe it.
func Commands() *cobra.Command { return (&app{stdout: io.Discard, stderr: io.Discard}).root() }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "lockside",
		Short:             "Run commands under locks, and show locks",
		Long:              about,
		Example:           examples,
		Version:           version.Read().String(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: a.begin,
	}
	root.SetVersionTemplate("lockside {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&a.socket, "socket", "", "`path` of the daemon's socket (default $"+ipc.SocketVariable+", else where locksided listens)")
	flags.BoolVar(&a.json, "json", false, "write JSON, for machines")
	root.AddCommand(a.run(), a.hold(), a.status(), a.list(), a.who(), a.acceptRestore(), a.drill(), a.key(), a.version(),
		a.guard(), a.drillHolder())
	return root
}

// oneName is for commands that are about one name.
func oneName(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("give one NAME, of at least one byte")
	}
	return nil
}

// begin is called once the command line has been read.
func (a *app) begin(*cobra.Command, []string) error {
	a.parsed = true
	if a.socket == "" {
		a.socket = ipc.SocketPath()
	}
	return nil
}

// dial connects to the daemon.
func (a *app) dial(ctx context.Context) (*ipc.Client, error) {
	client, err := ipc.Dial(ctx, a.socket)
	if err != nil && ctx.Err() == nil {
		return nil, &exitError{code: exitUnavailable, err: err, hint: dialHint(err)}
	}
	return client, err
}

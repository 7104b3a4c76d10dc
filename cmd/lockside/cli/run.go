package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockside/cmd/lockside/child"
	"lockside/fencing"
	"lockside/ipc"
)

const aboutRun = `Run a command while holding a lock, or several at once.

The command gets standard input, the terminal, and signals sent to lockside. Its
environment has LOCKSIDE_NAME, LOCKSIDE_FENCE, LOCKSIDE_CLUSTER (the etcd cluster
whose fence it is) and LOCKSIDE_KEY; of several names each has a line of its own.
The lock is released when the last process that the
command started has ended: what it leaves in the background is ended with it,
so a daemon must be told to stay in the foreground (and use setsid --wait).

When the lock is lost the command gets TERM, and KILL before another can hold
the lock. Killing lockside itself, even with KILL, kills the command.

`

// leftoverGrace is what processes get that the command leaves behind. There is
// no haste: the lock is still held.
const leftoverGrace = 5 * time.Second

// runner is one `lockside run`.
type runner struct {
	app *app
	acquisition
	grace    duration
	conflict uint8 // the exit code if not granted

	names   []string
	command []string
}

func (a *app) run() *cobra.Command {
	r := &runner{app: a, grace: duration{unset}}
	cmd := &cobra.Command{
		Use:   "run [flags] NAME... -- COMMAND [ARG...]",
		Short: "Run a command while holding a lock",
		Long:  aboutRun + exitCodes,
		Args:  r.split,
		RunE:  func(cmd *cobra.Command, _ []string) error { return r.run(cmd) },
	}
	r.addFlags(cmd)
	flags := cmd.Flags()
	flags.Uint8VarP(&r.conflict, "conflict-exit-code", "E", exitNotGranted, "exit `code` if the lock is not granted in time")
	flags.Var(&r.grace, "grace", "`time` between TERM and KILL (default 5s; after a loss a third of the daemon's margin, and never more than that)")
	return cmd
}

// split takes the command line apart at "--".
func (r *runner) split(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash < 0:
		return errors.New("no -- between the names and the command: lockside run NAME -- COMMAND")
	case dash == 0:
		return errors.New("no name before --")
	case dash == len(args):
		return errors.New("no command behind --")
	}
	r.names, r.command = args[:dash], args[dash:]
	if !cmd.Flags().Changed("owner") {
		r.owner = defaultOwner(r.command[0])
	}
	return nil
}

// defaultOwner is what others see of the command: the daemon sees lockside.
func defaultOwner(command string) string {
	owner := filepath.Base(command)
	if len(owner) > ipc.MaxOwner || owner != harmless(owner) {
		return ""
	}
	return owner
}

func (r *runner) run(cmd *cobra.Command) error {
	path, err := child.Find(r.command[0])
	if err != nil {
		return err
	}
	signals := catchSignals()
	ctx, stop := untilSignal(cmd.Context(), signals)
	client, err := r.app.dial(ctx)
	stop()
	if err != nil {
		return err
	}
	defer client.Close()
	lock, err := r.app.acquire(cmd, client, &r.acquisition, r.names, signals)
	if err != nil {
		return r.refused(err)
	}
	connections := connections()
	status, err := child.Run(lock.Context(), r.child(lock, path, signals, connections))
	closeAll(connections)
	if err := r.settle(lock, err); err != nil {
		return err
	}
	return r.end(status)
}

// refused gives the flock(1)-like options their effect on a lock that was not
// granted.
func (r *runner) refused(err error) error {
	e := r.app.classify(err)
	if e.code != exitNotGranted {
		return err
	}
	refused := &exitError{code: int(r.conflict)}
	if !r.quiet {
		refused.err = err
	}
	return refused
}

func (r *runner) child(lock *ipc.Lock, path string, signals <-chan os.Signal, keep []*os.File) child.Command {
	c := child.Command{
		Guard:       r.app.guardArgs(),
		Path:        path,
		Args:        r.command,
		Env:         r.environment(lock),
		Keep:        keep,
		Signals:     signals,
		Grace:       leftoverGrace,
		CancelGrace: lossGrace(lock.Margin(), r.grace.Duration),
		Resume: func() error {
			_, err := lock.Check(lock.Context())
			return err
		},
	}
	if r.grace.Duration >= 0 {
		c.Grace = r.grace.Duration
	}
	return c
}

// lossGrace is the time between TERM and KILL at a loss, when the daemon's margin
// is still ahead. A quarter of it is left for KILL to do its work.
func lossGrace(margin, asked time.Duration) time.Duration {
	if asked < 0 {
		return margin / 3
	}
	return min(asked, margin*3/4)
}

// environment is ours, but for what an outer lock has set there.
func (r *runner) environment(lock *ipc.Lock) []string {
	set := []string{
		"LOCKSIDE_NAME=" + strings.Join(lock.Names(), "\n"),
		"LOCKSIDE_FENCE=" + strconv.FormatInt(lock.Fence(), 10),
		"LOCKSIDE_CLUSTER=" + fencing.Cluster(lock.Cluster()).String(),
		"LOCKSIDE_KEY=" + strings.Join(lock.Keys(), "\n"),
	}
	if path, err := filepath.Abs(r.app.socket); err == nil {
		set = append(set, ipc.SocketVariable+"="+path)
	}
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	})
	return append(env, set...)
}

// settle releases the lock once the command's processes are gone. The error is
// what keeps the command's own exit code from being told.
func (r *runner) settle(lock *ipc.Lock, err error) error {
	lost := context.Cause(lock.Context())
	released := release(lock)
	name := strings.Join(lock.Names(), " ")
	switch {
	case lost != nil:
		return &exitError{code: exitLost, err: fmt.Errorf("lost %s while the command ran, and ended it: %w", name, lost)}
	case released != nil:
		// The command ended while the lock was held, and the daemon
		// releases what its client leaves: not the command's failure.
		r.app.errorf("", "%v", released)
	}
	if err != nil && !errors.Is(err, child.ErrGuardDied) {
		return err
	}
	if err != nil {
		r.app.errorf("", "%v", err)
	}
	return nil
}

// end turns the command's end into ours.
func (r *runner) end(status child.Status) error {
	if status.Interrupted() && (status.Terminal || r.app.terminal() >= 0) {
		child.Interrupt(status.Terminal)
	}
	if code := status.ExitCode(); code != 0 {
		return &exitError{code: code}
	}
	return nil
}

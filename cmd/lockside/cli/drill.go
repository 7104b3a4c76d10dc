package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"lockside/cmd/lockside/drill"
	"lockside/cmd/lockside/drill/register"
	"lockside/ipc"
)

const aboutDrill = `Show a stale write being refused, with real processes on this host.

A first holder takes a lock, claims the resource, reads it, and is stopped by
SIGSTOP before it writes. The lock passes on. A second holder claims the
resource, reads it and writes. Then the first goes on, and writes. If the resource
checks fences, it refuses that write; with --unfenced nobody checks, and what the
second wrote is lost.

The lock is one of this host's daemon, which nothing is done to. It keeps the lock
of a program that is stopped, as long as that is connected, so the drill ends the
first holder's connection. Where no daemon listens, and none was named, or with
--embedded, the drill starts two of its own, one of them with an etcd. It stops the
first of them with its holder, as a host is suspended, and waits until the lease
has ended in etcd.

The resource is one of the drill's own, or by --resource one of these.

  postgres://…        a table that the drill makes and drops, by psql
  redis://…           a key that the drill makes and deletes, by redis-cli;
                      rediss:// too
  http://, https://…  a URL of yours, by curl: GET reads and PUT writes, with the
                      header Lockside-Fence; a claim is a POST with the header
                      Lockside-Claim: ?1; 412 is a refusal, and 428 the answer to a
                      write without a fence

Give a URL that is there for drills alone: it sees fences that are greater than
those of locks held now, and never forgets them. The text is put back in the end.
--show writes what is sent to check a fence, for your own scripts, and does no more.

`

const drillExitCodes = `Exit codes:
  0    the stale write was refused; with --unfenced, an update was lost
  1    it was not: the resource let the stale write in, or answered neither done
       nor stale
  64   the command line is wrong
  69   the daemon, etcd or the resource is not available, or nobody could be told
       what was shown
  75   somebody has the lock
  77   this user may not have it
  128+n  signal n ended the drill; nothing is left of it`

const drillExamples = `  lockside drill --embedded
  lockside drill --resource postgres://app@db.example/app
  lockside drill --resource redis://localhost --show`

// driller is one `lockside drill`.
type driller struct {
	app      *app
	options  drill.Options
	embedded bool
	show     bool
}

func (a *app) drill() *cobra.Command {
	d := &driller{app: a}
	cmd := &cobra.Command{
		Use:     "drill [flags]",
		Short:   "Show a stale write being refused",
		Long:    aboutDrill + drillExitCodes,
		Example: drillExamples,
		Args:    cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return d.check(cmd) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&d.options.Resource, "resource", "", "`URL` of what is to check fences (default a register of the drill's own)")
	flags.StringVar(&d.options.Name, "name", "", "`name` of the lock (default one made for the drill)")
	flags.BoolVar(&d.options.Unfenced, "unfenced", false, "check nothing, and show the lost update")
	flags.BoolVar(&d.embedded, "embedded", false, "start two daemons and an etcd for the drill")
	flags.BoolVar(&d.options.Keep, "keep", false, "leave at the resource what the drill has made there")
	flags.BoolVar(&d.show, "show", false, "write what checks a fence at the resource, and do nothing")
	return cmd
}

func (d *driller) check(cmd *cobra.Command) error {
	for _, name := range []string{"resource", "name"} {
		if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
			return usageError("--" + name + " is empty: give one, or leave it out") // such as an unset variable
		}
	}
	switch {
	case d.embedded && cmd.Flag("socket").Changed:
		return usageError("--embedded starts daemons of its own, so it does not go with --socket")
	case d.embedded && register.IsWeb(d.options.Resource):
		return usageError("the URL would remember fences of an etcd that is gone: use the host's daemon, not --embedded")
	case d.options.Keep && d.options.Resource == "":
		return usageError("--keep is for a resource that outlives the drill: give --resource")
	}
	return nil
}

func (d *driller) run(cmd *cobra.Command) error {
	spec := register.Spec{URL: d.options.Resource, Name: "lockside_drill"}
	if spec.URL == "" {
		spec.URL = "unix:"
	}
	resource, err := register.Open(spec)
	if err != nil {
		return &exitError{code: exitUsage, err: err, hint: usageHint}
	}
	if d.show {
		_, err := io.WriteString(d.app.stdout, resource.Recipe())
		return err
	}
	ctx, stop := untilSignal(cmd.Context(), catchSignals())
	defer stop()
	if err := d.prepare(cmd); err != nil {
		return err
	}
	result, err := drill.Run(ctx, d.options)
	if err != nil {
		return d.app.unavailable(err)
	}
	return d.app.writeDrill(result)
}

// prepare chooses the daemon, and finds the programs.
func (d *driller) prepare(cmd *cobra.Command) (err error) {
	o := &d.options
	o.Self, o.Log, o.Out = []string{selfPath, d.app.argv0, holderCommand}, d.app.stderr, d.app.stdout
	if d.app.json {
		o.Out = io.Discard
	}
	if !d.embedded {
		client, err := d.app.dial(cmd.Context())
		if err == nil {
			o.Socket = d.app.socket
			return client.Close()
		}
		named := cmd.Flag("socket").Changed || os.Getenv(ipc.SocketVariable) != ""
		if named || dialHint(err) != startHint || register.IsWeb(o.Resource) {
			return err
		}
		d.app.errorf("", "no daemon listens at %s, so the drill starts two of its own", d.app.socket)
	}
	o.Locksided, err = findDaemon()
	return err
}

// findDaemon is locksided where we are, as after an installation, or along PATH.
func findDaemon() (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), "locksided")); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath("locksided")
	if err != nil {
		return "", &exitError{code: exitUnavailable, err: fmt.Errorf("find the daemon's program: %w", err), hint: "install locksided beside lockside"}
	}
	return path, nil
}

// unavailable is for errors that would else be exitFailure, which has a meaning of
// its own here.
func (a *app) unavailable(err error) error {
	e := a.classify(err)
	if e.code == exitFailure && !errors.Is(err, drill.ErrAnswer) {
		e.code = exitUnavailable
	}
	return e
}

func (a *app) writeDrill(r *drill.Result) error {
	var err error
	if a.json {
		err = a.writeJSON(r)
	} else {
		_, err = fmt.Fprintf(a.stdout, "\n%s\n", harmless(r.Sentence))
	}
	switch {
	case err != nil:
		return a.unavailable(err)
	case !r.Shown:
		return &exitError{code: exitFailure}
	}
	return nil
}

const holderCommand = "drill-holder"

// drillHolder is how drill makes this program one of its holders.
func (a *app) drillHolder() *cobra.Command {
	return &cobra.Command{
		Use:    holderCommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return drill.Hold(connections) },
	}
}

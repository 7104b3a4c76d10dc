package drill

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"lockside/cmd/lockside/drill/register"
	"lockside/fencing"
)

// Options say what a drill is to show, and where.
type Options struct {
	Name      string // of the lock; "" makes one
	Resource  string // URL; "" is a register of the drill's own
	Socket    string // of the host's daemon; "" starts two
	Locksided string // the program, to start them
	Unfenced  bool   // shows the lost update
	Keep      bool   // leaves what it has made at the resource

	Self []string  // path and command line with which this program calls [Hold]
	Out  io.Writer // what happens, as it does
	Log  io.Writer // what holders complain of
}

// A drill is one that goes on.
type drill struct {
	Options
	timeline
	site     site
	spec     register.Spec
	register register.Register
	holders  []*holder
	last     fencing.Token // the last that has claimed
	made     bool          // the resource has what the drill makes there
	written  bool          // a holder may have written
}

// How long the drill gives the resource to make or to remove something, which it
// does not interrupt.
const makeTimeout = 20 * time.Second

// Run plays a drill. Its error is what kept it from its end; when ctx ends, that is
// its cause. Nothing is left then, or the error says what.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	runtime.LockOSThread() // All processes end with this thread.
	defer runtime.UnlockOSThread()
	dir, err := os.MkdirTemp("", "drill-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	d := &drill{Options: o, timeline: timeline{out: o.Out, began: time.Now()}}
	d.name()
	server, err := d.openRegister(dir)
	if err != nil {
		return nil, err
	}
	if server != nil {
		defer server.Close()
	}
	if err := d.openSite(ctx, dir); err != nil {
		return nil, err
	}
	defer d.site.close()
	d.announce()
	defer func() { err = both(err, d.clean(context.WithoutCancel(ctx))) }()
	if err := d.bounded(context.WithoutCancel(ctx), func(ctx context.Context) error { return d.register.Make(ctx, beginning) }); err != nil {
		return nil, fmt.Errorf("prepare %s: %w", d.register.Place(), err)
	}
	d.made = true
	return d.play(ctx)
}

// both is two errors on one line.
func both(err, next error) error {
	if err == nil || next == nil {
		return errors.Join(err, next)
	}
	return fmt.Errorf("%w; and %w", err, next)
}

// name finds names that nobody has.
func (d *drill) name() {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // It never fails.
	d.spec = register.Spec{URL: d.Resource, Name: "lockside_drill_" + hex.EncodeToString(random)}
	if d.Name == "" {
		d.Name = "drill-" + hex.EncodeToString(random)
	}
}

func (d *drill) openRegister(dir string) (server *register.Server, err error) {
	if d.Resource == "" {
		if server, err = register.Serve(filepath.Join(dir, "register.sock")); err != nil {
			return nil, err
		}
		d.spec.URL = server.URL()
	}
	if d.register, err = register.Open(d.spec); err != nil && server != nil {
		return nil, errors.Join(err, server.Close())
	}
	return server, err
}

func (d *drill) openSite(ctx context.Context, dir string) (err error) {
	if d.Socket != "" {
		d.site = ownDaemon{d.Socket}
		return nil
	}
	d.site, err = openTwoHosts(ctx, d.Locksided, dir)
	return err
}

// announce says what will be touched before it is.
func (d *drill) announce() {
	after := ""
	switch {
	case d.Resource == "":
	case d.Keep:
		after = ", and stays"
	case register.IsWeb(d.Resource):
		after = ", whose text is put back in the end"
	default:
		after = ", made for the drill and removed in the end"
	}
	fmt.Fprintf(d.out, "lock      %s, %s\nresource  %s%s\n\n", d.Name, d.site.place(), d.register.Place(), after)
}

// bounded does something at the resource, in time.
func (d *drill) bounded(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, makeTimeout)
	defer cancel()
	return do(ctx)
}

// clean ends the holders, and removes what was made.
func (d *drill) clean(ctx context.Context) error {
	for _, h := range d.holders {
		h.leave()
	}
	if len(d.holders) > 0 {
		d.site.settle(ctx, d.Name, d.holders)
	}
	if d.Keep || register.IsWeb(d.Resource) && !d.written {
		return nil
	}
	err := d.bounded(ctx, func(ctx context.Context) error { return d.register.Remove(ctx, d.last) })
	switch {
	case err == nil:
		return nil
	case !d.made: // for the reason for which it was not made
		return fmt.Errorf("%s may be left", d.register.Place())
	}
	return fmt.Errorf("remove %s, which is left: %w", d.register.Place(), err)
}

package dirguard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lockside/fencing"
	"lockside/fencing/internal/durable"
)

// Names in the directory, and in the one within it that is the guard's own.
const (
	currentName   = "current"
	ownName       = ".lockside"
	lockName      = "lock"
	watermarkName = "watermark"
	previousName  = "previous"
)

// Fill is a write: it puts files into a new directory, which then replaces the one
// before it. Root.Name is its path, for programs. When Fill returns, all that it
// has started must have ended. An error makes the guard remove the directory.
type Fill = func(*os.Root) error

// A Guard is that of one directory.
type Guard struct {
	dir  string
	step func(name string) // told of each step, for tests
}

var _ fencing.Guard[Fill] = (*Guard)(nil)

// New is the guard of a directory, which must be there: else all calls are
// [fencing.ErrUnknown]. What the guard needs in it is made by its first call.
func New(dir string) *Guard { return &Guard{dir: dir, step: func(string) {}} }

// Claim implements [fencing.Guard], and removes what earlier holders have left. It
// waits while another process is about to publish.
func (g *Guard) Claim(ctx context.Context, t fencing.Token) error {
	var old []string
	err := g.locked(ctx, func() error {
		now, err := g.look()
		if err != nil {
			return err
		}
		next, err := now.mark.Admit(t)
		if err != nil {
			return err
		}
		g.step("compared")
		if err := g.raise(now, next); err != nil {
			return err
		}
		g.step("raised")
		old, err = g.retireLeftovers(next)
		return err
	})
	remove(old)
	return err
}

// Write implements [fencing.Guard]. It claims first, so that only a holder's write
// is begun. The files of an earlier write are not those of the next: each fills a
// directory of its own.
func (g *Guard) Write(ctx context.Context, t fencing.Token, fill Fill) error {
	if err := g.Claim(ctx, t); err != nil {
		return err
	}
	return g.write(ctx, t, fencing.Watermark.Admit, fill)
}

// WriteOnce implements [fencing.Guard].
func (g *Guard) WriteOnce(ctx context.Context, t fencing.Token, fill Fill) error {
	if err := g.check(ctx, t, fencing.Watermark.AdmitOnce); err != nil {
		return err
	}
	return g.write(ctx, t, fencing.Watermark.AdmitOnce, fill)
}

// An admission is Admit or AdmitOnce.
type admission func(fencing.Watermark, fencing.Token) (fencing.Watermark, error)

// check asks whether a write could be done now.
func (g *Guard) check(ctx context.Context, t fencing.Token, admit admission) error {
	return g.locked(ctx, func() error {
		now, err := g.look()
		if err == nil {
			_, err = admit(now.mark, t)
		}
		return err
	})
}

// write fills a version and publishes it, or removes it.
func (g *Guard) write(ctx context.Context, t fencing.Token, admit admission, fill Fill) error {
	g.step("admitted")
	v, err := g.makeVersion(t)
	if err != nil {
		return err
	}
	g.step("made")
	if err := g.fill(v, fill); err != nil {
		remove([]string{g.own(v)})
		// A stale writer's directory may have been removed under it.
		if stale := g.check(ctx, t, admit); errors.Is(stale, fencing.ErrStale) {
			return fmt.Errorf("%w; fill a directory: %w", stale, err)
		}
		return fmt.Errorf("fill a directory: %w", err)
	}
	old := []string{g.own(v)} // unless it comes to be published
	err = g.locked(ctx, func() (err error) {
		old, err = g.publish(v, t, admit)
		return err
	})
	remove(old)
	g.step("published")
	return err
}

// publish makes a version the current one. It returns what is to be removed: the
// version itself where it is refused, and else the last but one.
func (g *Guard) publish(v string, t fencing.Token, admit admission) (old []string, err error) {
	now, err := g.look()
	if err != nil {
		return []string{g.own(v)}, err
	}
	next, err := admit(now.mark, t)
	if err != nil {
		return []string{g.own(v)}, err
	}
	g.step("compared")
	if err := link(filepath.Join(ownName, v), g.own("next"), filepath.Join(g.dir, currentName)); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	g.step("renamed")
	if err := durable.Sync(g.dir); err != nil {
		return nil, err
	}
	g.step("kept")
	if err := g.raise(now, next); err != nil { // for those who set current back by hand
		return nil, err
	}
	g.step("raised")
	return g.retireLastButOne(now.current)
}

// locked does what all processes of this package do one at a time.
func (g *Guard) locked(ctx context.Context, do func() error) error {
	if err := g.prepare(); err != nil {
		return err
	}
	unlock, err := durable.Lock(ctx, g.own(lockName))
	if err != nil {
		return err
	}
	defer unlock()
	g.step("locked")
	return do()
}

// prepare makes the guard's own directory.
func (g *Guard) prepare() error {
	err := os.Mkdir(g.own(), 0o777)
	switch {
	case err == nil:
		return durable.Sync(g.dir)
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is no directory", fencing.ErrUnknown, g.dir)
	}
	return err
}

// own is a path within the guard's own directory.
func (g *Guard) own(names ...string) string {
	return filepath.Join(append([]string{g.dir, ownName}, names...)...)
}

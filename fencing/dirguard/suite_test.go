package dirguard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockside/fencing"
	"lockside/fencing/dirguard"
	"lockside/fencing/fencingtest"
)

// resource is a new directory for the suite, whose guard wrap may replace.
func resource(t *testing.T, wrap func(dir string, g *dirguard.Guard) fencing.Guard[dirguard.Fill]) *fencingtest.Resource[dirguard.Fill] {
	dir := t.TempDir()
	guard := wrap(dir, dirguard.New(dir))
	var tokens fencingtest.Tokens
	return &fencingtest.Resource[dirguard.Fill]{
		Grant: func(context.Context) (fencingtest.Holder[dirguard.Fill], error) {
			return fencingtest.Holder[dirguard.Fill]{Guard: guard, Token: tokens.Next()}, nil
		},
		Set:     func(value string) dirguard.Fill { return fill(value, false) },
		Fail:    func(value string) dirguard.Fill { return fill(value, true) },
		Value:   func(context.Context) (string, error) { return value(dir) },
		Unknown: dirguard.New(filepath.Join(dir, "not")),
	}
}

// value reads what is published by its path, as any program does.
func value(dir string) (string, error) {
	if text, err := os.ReadFile(filepath.Join(dir, "unlocked")); err == nil {
		return string(text), nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "current", "value"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

func TestGuard(t *testing.T) {
	fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[dirguard.Fill] {
		return resource(t, func(_ string, g *dirguard.Guard) fencing.Guard[dirguard.Fill] { return g })
	})
}

// remote does each call in a process of its own.
type remote struct{ dir string }

// A write is a fill that can be told to another process.
type write struct {
	value string
	fails bool
}

// losing has a call's process killed when all is done but to tell it.
type losing struct{}

func (r remote) call(ctx context.Context, method string, t fencing.Token, w write) error {
	if err := t.Check(); err != nil {
		return err // which JSON cannot tell
	}
	c := call{Dir: r.dir, Method: method, Token: t, Value: w.value, Fails: w.fails}
	if ctx.Value(losing{}) != nil {
		c.Signal, c.At, c.Nth = syscall.SIGKILL, "published", 1
	}
	return run(c)
}

func (r remote) Claim(ctx context.Context, t fencing.Token) error {
	return r.call(ctx, "Claim", t, write{})
}

func (r remote) Write(ctx context.Context, t fencing.Token, w write) error {
	return r.call(ctx, "Write", t, w)
}

func (r remote) WriteOnce(ctx context.Context, t fencing.Token, w write) error {
	return r.call(ctx, "WriteOnce", t, w)
}

// TestGuardOfProcesses runs the suite with a process for each call. A restart is
// that of a writer which is killed as it is about to publish.
func TestGuardOfProcesses(t *testing.T) {
	fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[write] {
		dir := t.TempDir()
		var tokens fencingtest.Tokens
		var last fencing.Token
		holders := make(chan struct{}, 1)
		return &fencingtest.Resource[write]{
			Grant: func(context.Context) (fencingtest.Holder[write], error) {
				holders <- struct{}{}
				last = tokens.Next()
				defer func() { <-holders }()
				return fencingtest.Holder[write]{Guard: remote{dir}, Token: last}, nil
			},
			Set:   func(value string) write { return write{value: value} },
			Fail:  func(value string) write { return write{value: value, fails: true} },
			Value: func(context.Context) (string, error) { return value(dir) },
			Restart: func(context.Context) error {
				err := run(call{Dir: dir, Method: "Write", Token: last, Value: "killed", Signal: syscall.SIGKILL, At: "compared", Nth: 2})
				if !errors.Is(err, io.EOF) {
					return fmt.Errorf("a writer that is killed: %w", err)
				}
				return nil
			},
			LoseReply: func(ctx context.Context, call func(context.Context) error) error {
				return call(context.WithValue(ctx, losing{}, true))
			},
			Unknown: remote{filepath.Join(dir, "not")},
		}
	})
}

// unclaimed is a guard that does nothing when somebody claims.
type unclaimed struct{ *dirguard.Guard }

func (unclaimed) Claim(_ context.Context, t fencing.Token) error { return t.Check() }

// unlocked is a guard that compares, and then renames a file of its own.
type unlocked struct {
	*dirguard.Guard
	dir string
}

func (g unlocked) Write(ctx context.Context, t fencing.Token, fill dirguard.Fill) error {
	v := "unlocked." + t.String()
	path := filepath.Join(g.dir, v)
	if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o777)); err != nil {
		return err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := errors.Join(fill(root), g.Claim(ctx, t)); err != nil {
		return err
	}
	if t.Fence%4 == 0 {
		time.Sleep(50 * time.Millisecond) // paused, while others write
	}
	// Beside what the guard publishes, which knows its own versions only.
	return os.Rename(filepath.Join(path, "value"), filepath.Join(g.dir, "unlocked"))
}

// TestBrokenGuards holds that the suite finds what is wrong with them.
func TestBrokenGuards(t *testing.T) {
	for name, broken := range map[string]struct {
		wrap func(dir string, g *dirguard.Guard) fencing.Guard[dirguard.Fill]
		want string
	}{
		"unclaimed": {func(_ string, g *dirguard.Guard) fencing.Guard[dirguard.Fill] { return unclaimed{g} }, "a late write after a claim is refused"},
		"unlocked":  {func(dir string, g *dirguard.Guard) fencing.Guard[dirguard.Fill] { return unlocked{g, dir} }, "writers that race"},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, c := range fencingtest.Cases[dirguard.Fill]() {
				for range 50 { // of races, until one is lost
					err := c.Run(t.Context(), resource(t, broken.wrap))
					if err != nil && !errors.Is(err, errors.ErrUnsupported) {
						t.Logf("%s: %v", c.Name, err)
						found = append(found, c.Name)
						break
					}
					if c.Name != broken.want {
						break
					}
				}
			}
			if !slices.Contains(found, broken.want) {
				t.Errorf("failed: %s; want also %q", strings.Join(found, ", "), broken.want)
			}
		})
	}
}

package dirguard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Read gives a reader the current version, all of which is of one write. The
// reader is called again if the version was removed while it read, so that what it
// does must be good to be done twice: for that, two others were published.
// Read returns the reader's error; one that is [fs.ErrNotExist] where nothing has
// been published; or the context's, which is asked between calls.
func (g *Guard) Read(ctx context.Context, read func(*os.Root) error) error {
	for ctx.Err() == nil {
		v, err := g.target(filepath.Join(g.dir, currentName))
		if err != nil {
			return err
		}
		if v == "" {
			return fmt.Errorf("nothing has been published in %s: %w", g.dir, fs.ErrNotExist)
		}
		err = g.readVersion(v, read)
		if _, gone := os.Lstat(g.own(v)); !errors.Is(gone, fs.ErrNotExist) {
			return err
		}
		if now, _ := g.target(filepath.Join(g.dir, currentName)); now == v {
			return fmt.Errorf("the current version %s: %w", v, fs.ErrNotExist)
		}
	}
	return ctx.Err()
}

func (g *Guard) readVersion(v string, read func(*os.Root) error) error {
	root, err := os.OpenRoot(g.own(v))
	if err != nil {
		return err
	}
	defer root.Close()
	return read(root)
}

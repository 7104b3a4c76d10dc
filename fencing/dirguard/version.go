package dirguard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockside/fencing"
	"lockside/fencing/internal/durable"
)

// makeVersion makes a directory whose name nobody has used: that of its token, a
// dot and chance.
func (g *Guard) makeVersion(t fencing.Token) (string, error) {
	v := t.String() + "." + strings.ToLower(rand.Text())
	if err := os.Mkdir(g.own(v), 0o777); err != nil {
		return "", fmt.Errorf("make a directory: %w", err)
	}
	return v, nil
}

// tokenOf is the token in a version's name.
func tokenOf(v string) (fencing.Token, error) {
	token, _, _ := strings.Cut(v, ".")
	return fencing.Parse(token)
}

// fill has a version filled, and all of it on the disk.
func (g *Guard) fill(v string, fill Fill) error {
	root, err := os.OpenRoot(g.own(v))
	if err != nil {
		return err
	}
	err = errors.Join(fill(root), root.Close())
	if err != nil {
		return err
	}
	g.step("filled")
	if err := syncTree(g.own(v)); err != nil {
		return err
	}
	if err := durable.Sync(g.own()); err != nil {
		return err
	}
	g.step("synced")
	return nil
}

// syncTree has the files and directories below a path on the disk.
func syncTree(path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return err // links are in their directory
		}
		return durable.Sync(path)
	})
}

// retiredPrefix is of what is about to be removed. A version has it before its
// first file is, so that no reader takes what is left of it for the whole.
const retiredPrefix = "retired."

// retire renames a version, and returns the path that is to be removed.
func (g *Guard) retire(v string) (string, error) {
	path := g.own(retiredPrefix + v)
	err := os.Rename(g.own(v), path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return path, err
}

// retireLeftovers is for what those with tokens below the watermark have left, but
// for the versions that readers may have.
func (g *Guard) retireLeftovers(mark fencing.Watermark) (old []string, err error) {
	entries, err := os.ReadDir(g.own())
	if err != nil {
		return nil, err
	}
	current, err := g.target(filepath.Join(g.dir, currentName))
	if err != nil {
		return nil, err
	}
	previous, err := g.target(g.own(previousName))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		v := entry.Name()
		if strings.HasPrefix(v, retiredPrefix) {
			old = append(old, g.own(v))
			continue
		}
		token, err := tokenOf(v)
		if err != nil || v == current || v == previous || !isPast(token, mark) {
			continue
		}
		path, err := g.retire(v)
		if err != nil {
			return old, err
		}
		old = append(old, path)
	}
	return old, nil
}

// isPast reports whether a token can write no more.
func isPast(t fencing.Token, mark fencing.Watermark) bool {
	_, err := mark.Admit(t)
	return err != nil
}

// retireLastButOne notes what was current until now as the previous version, in
// place of the one before it.
func (g *Guard) retireLastButOne(last string) (old []string, err error) {
	if last == "" {
		return nil, nil
	}
	before, err := g.target(g.own(previousName))
	if err != nil {
		return nil, err
	}
	if err := link(filepath.Join(ownName, last), g.own("next"), g.own(previousName)); err != nil {
		return nil, fmt.Errorf("note the previous version: %w", err)
	}
	if before == "" || before == last {
		return nil, nil
	}
	path, err := g.retire(before)
	return []string{path}, err
}

// remove removes what is retired. What cannot be removed now is found by the next
// claim.
func remove(paths []string) {
	for _, path := range paths {
		_ = os.RemoveAll(path)
	}
}

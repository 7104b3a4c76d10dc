package dirguard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockside/fencing"
	"lockside/fencing/internal/durable"
)

// A state is what a directory tells of itself.
type state struct {
	kept    fencing.Watermark // in the file
	current string            // the name of the current version, or ""
	mark    fencing.Watermark // of both
}

// look reads the state. Its errors are of what this package did not write, too: to
// guess would be to forget what was seen.
func (g *Guard) look() (state, error) {
	var now state
	text, err := os.ReadFile(g.own(watermarkName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return now, err
	default:
		kept, err := fencing.Parse(strings.TrimSuffix(string(text), "\n"))
		if err != nil { // which is not that a caller's token is wrong
			return now, fmt.Errorf("read %s: %v", g.own(watermarkName), err)
		}
		now.kept.Highest = kept
	}
	now.mark = now.kept
	now.current, err = g.target(filepath.Join(g.dir, currentName))
	if err != nil || now.current == "" {
		return now, err
	}
	published, err := tokenOf(now.current)
	if err != nil {
		return now, fmt.Errorf("read %s: %v", filepath.Join(g.dir, currentName), err)
	}
	if higher(published, now.kept.Highest) {
		now.mark.Highest = published
	}
	return now, nil
}

// higher reports whether what was published is to count rather than what is kept.
// Where they are of two clusters, somebody has set what is kept.
func higher(published, kept fencing.Token) bool {
	order, err := published.Compare(kept)
	return kept.IsZero() || err == nil && order > 0
}

// target is the name of the version that a link is to, or "" where there is no link.
func (g *Guard) target(path string) (string, error) {
	target, err := os.Readlink(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read a link of this package: %w", err)
	}
	v, found := strings.CutPrefix(target, ownName+"/")
	if !found {
		return "", fmt.Errorf("%s is a link to %s, which this package did not make", path, target)
	}
	return v, nil
}

// raise keeps a watermark, unless that is what is kept.
func (g *Guard) raise(now state, next fencing.Watermark) error {
	if now.kept == next {
		return nil
	}
	if err := durable.Replace(g.own(watermarkName), []byte(next.Highest.String()+"\n")); err != nil {
		return fmt.Errorf("keep the watermark: %w", err)
	}
	return nil
}

// link makes a link, or replaces it in one step, by way of a temporary one.
func link(target, temporary, path string) error {
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, temporary); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

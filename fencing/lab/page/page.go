// Package page keeps a Markdown file of parts, each of which is written anew
// without the others.
package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// Put replaces a part of a file, or adds it at the end if it has none of the
// name. The file is made if there is none. Comments mark where a part begins and
// ends; what is outside is kept.
func Put(file, part string, write func(io.Writer) error) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write the page: %w", err)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	all, err := replace(old, part, bytes.TrimSpace(text.Bytes()))
	if err != nil {
		return fmt.Errorf("write the page %s: %w", file, err)
	}
	if err := os.WriteFile(file, all, 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func replace(page []byte, part string, text []byte) ([]byte, error) {
	begin, end := fmt.Appendf(nil, "<!-- %s -->\n", part), fmt.Appendf(nil, "<!-- end of %s -->\n", part)
	text = slices.Concat(begin, []byte("\n"), text, []byte("\n\n"), end)
	before, rest, has := bytes.Cut(page, begin)
	if !has && len(page) == 0 {
		return text, nil
	}
	if !has {
		return slices.Concat(bytes.TrimRight(page, "\n"), []byte("\n\n"), text), nil
	}
	_, after, ended := bytes.Cut(rest, end)
	if !ended {
		return nil, fmt.Errorf("%q has no %q", bytes.TrimSpace(begin), bytes.TrimSpace(end))
	}
	return slices.Concat(before, text, after), nil
}

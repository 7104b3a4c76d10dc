package safety

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lockside/fencing/lab/page"
)

// An Output is where a report goes beside the table. An empty path is none.
type Output struct {
	JSON     string // all of it, in a file
	Markdown string // a page, of which it is the part "safety"
	SVG      string // pictures, in a directory; the page shows them
}

// Write writes a report in all forms that are wanted, and its tables to stdout.
func (o Output) Write(r *Report, stdout io.Writer) error {
	err := r.WriteTable(stdout)
	if o.JSON != "" {
		err = errors.Join(err, r.writeJSON(o.JSON))
	}
	var pictures []Picture
	if o.SVG != "" {
		drawn, failed := r.WritePictures(o.SVG)
		pictures, err = drawn, errors.Join(err, failed)
	}
	if o.Markdown != "" {
		for i := range pictures {
			pictures[i].File = relative(filepath.Dir(o.Markdown), pictures[i].File)
		}
		err = errors.Join(err, page.Put(o.Markdown, "safety", func(w io.Writer) error {
			return r.WriteMarkdown(w, pictures)
		}))
	}
	return err
}

func (r *Report) writeJSON(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the results as JSON: %w", err)
	}
	return nil
}

// relative is a path as seen from a directory, where there is a way.
func relative(dir, path string) string {
	if seen, err := filepath.Rel(dir, path); err == nil {
		path = seen
	}
	return filepath.ToSlash(path)
}

// ReadJSON reads the report of an earlier run, to write it in other forms.
func ReadJSON(file string) (*Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read results from %s: %w", file, err)
	}
	return &r, nil
}

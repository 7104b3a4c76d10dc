package page_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockside/fencing/lab/page"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestPut(t *testing.T) {
	const speed = "<!-- speed -->\n\n# Speed\n\n<!-- end of speed -->\n"
	for _, test := range []struct{ name, old, want string }{
		{"a new file", "", speed},
		{"a file without the part", "# Results\n", "# Results\n\n" + speed},
		{"the part alone is written anew", "before\n<!-- speed -->\nold\n<!-- end of speed -->\n\nafter\n", "before\n" + speed + "\nafter\n"},
		{"written again", speed, speed},
	} {
		file := filepath.Join(t.TempDir(), "page.md")
		if test.old != "" {
			if err := os.WriteFile(file, []byte(test.old), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := page.Put(file, "speed", text("\n# Speed\n")); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// A page is left as it is when it cannot be told what to replace, or by what.
func TestPutRefuses(t *testing.T) {
	const old = "<!-- speed -->\nold\n"
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := page.Put(file, "speed", text("new")); err == nil || !strings.Contains(err.Error(), "<!-- end of speed -->") {
		t.Errorf("a part without an end: %v", err)
	}
	if err := page.Put(file, "safety", func(io.Writer) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a part that could not be written: %v", err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != old {
		t.Errorf("%q, %v, want %q", got, err, old)
	}
	if err := page.Put(t.TempDir(), "speed", text("new")); err == nil {
		t.Error("a directory is no page")
	}
}

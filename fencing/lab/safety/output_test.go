package safety

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutput(t *testing.T) {
	dir := t.TempDir()
	out := Output{JSON: filepath.Join(dir, "r.json"), Markdown: filepath.Join(dir, "R.md"), SVG: filepath.Join(dir, "plots")}
	var stdout, table bytes.Buffer
	if err := out.Write(sample(), &stdout); err != nil {
		t.Fatal(err)
	}
	if err := sample().WriteTable(&table); err != nil || stdout.String() != table.String() {
		t.Errorf("%v: stdout is not the table:\n%s", err, &stdout)
	}
	page, err := os.ReadFile(out.Markdown)
	if err != nil || !strings.Contains(string(page), "](plots/safety-pause-lockside.svg)") || !strings.HasPrefix(string(page), "<!-- safety -->\n") {
		t.Errorf("the page: %v:\n%s", err, page)
	}
	got, err := ReadJSON(out.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), got); diff != "" {
		t.Errorf("JSON: -want +got:\n%s", diff)
	}
}

func TestOutputErrorsAreTold(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(none, "file") // in what is no directory
	for want, out := range map[string]Output{
		"write the results as JSON": {JSON: file},
		"write the page":            {Markdown: file},
		"write pictures":            {SVG: file},
	} {
		if err := out.Write(sample(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := ReadJSON(file); err == nil {
		t.Error("nothing was read from what is no file")
	}
	if _, err := ReadJSON(none); err == nil {
		t.Error("an empty file was read as results")
	}
}

package faults_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A row is one of CASES.md.
type row struct{ source, what, here string }

// sources are the issues that a row is about, each with its project, of which a list
// leaves out all but the first.
func (r row) sources() (all []string) {
	project := ""
	for part := range strings.SplitSeq(r.source, ", ") {
		if before, issue, ok := strings.Cut(part, "#"); ok {
			project = cmp.Or(before, project)
			all = append(all, project+"#"+issue)
		}
	}
	return all
}

// rows reads the table.
func rows(t *testing.T) (all []row) {
	t.Helper()
	text, err := os.ReadFile("CASES.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --- ") {
			continue
		}
		if len(cells) != 3 {
			t.Errorf("%q has %d cells, want 3", line, len(cells))
			continue
		}
		all = append(all, row{strings.TrimSpace(cells[0]), cells[1], strings.TrimSpace(cells[2])})
	}
	return all[1:] // but for the head
}

// tests are the tests of this package.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				all[f.Name.Name] = true
			}
		}
	}
	return all
}

var (
	named = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	bare  = regexp.MustCompile(`[^a-z0-9]`)
)

// squeeze is a text as a test's name can have it, in lower case.
func squeeze(text string) string { return bare.ReplaceAllString(strings.ToLower(text), "") }

// TestCasesAreInTheTable: each row says what holds it, with a test that there is and that
// is named after the row's source, or why there is none; and each test has a row.
func TestCasesAreInTheTable(t *testing.T) {
	all, sources := tests(t), map[string]string{}
	var cases []string
	for _, r := range rows(t) {
		for _, source := range r.sources() {
			if sources[source] != "" {
				t.Errorf("%s is in two rows: %q and %q", source, sources[source], r.source)
			}
			sources[source] = r.source
		}
		names := named.FindAllStringSubmatch(r.here, -1)
		for _, n := range names {
			if !all[n[1]] {
				t.Errorf("%s: there is no test %s", r.source, n[1])
			}
		}
		if strings.HasPrefix(r.here, "**With** ") || strings.HasPrefix(r.here, "**No**") {
			continue
		}
		if len(names) == 0 || !strings.HasPrefix(r.here, "`TestCase_") {
			t.Errorf("%s: it neither names its test first nor says why there is none", r.source)
			continue
		}
		name := names[0][1]
		after := strings.Split(name, "_")[1]
		if !strings.Contains(squeeze(r.source), squeeze(after)) {
			t.Errorf("%s is not named after %s", name, r.source)
		}
		cases = append(cases, name)
	}
	for name := range all {
		if n := count(cases, name); strings.HasPrefix(name, "TestCase_") && n != 1 {
			t.Errorf("%s is in %d rows, want one", name, n)
		}
	}
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

package model_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// What gcc makes of the search: one through all states, depth first, or one that
// goes breadth first and so ends at a shortest counterexample.
var (
	whole    = []string{"-O2"}
	shortest = []string{"-O1", "-DBFS"}
)

// A checker is the program that spin makes of the model, in a directory of its own.
type checker struct {
	dir    string
	macros []string // for spin
}

// newChecker builds the model with some macros defined, or skips the test where the
// tools are missing, or a search is too long for what is wanted. The race detector
// would find nothing in it.
func newChecker(t *testing.T, search []string, defines ...string) checker {
	t.Helper()
	if testing.Short() || racing() {
		t.Skip("needs minutes: run it without -short and -race")
	}
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s: install the package of that name", tool)
		}
	}
	c := checker{dir: t.TempDir()}
	for _, define := range defines {
		c.macros = append(c.macros, "-D"+define)
	}
	c.copySources(t)
	c.run(t, "spin", append(c.macros, "-a", "lockside.pml")...)
	c.run(t, "gcc", append(search, "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=3000", "-o", "pan", "pan.c")...)
	return c
}

// racing reports whether the tests run under the race detector.
func racing() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// copySources gives spin a directory that it may write to.
func (c checker) copySources(t *testing.T) {
	t.Helper()
	sources, err := filepath.Glob("*.pml")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no model here: %v", err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.dir, source), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// run carries out a program in the checker's directory.
func (c checker) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A verdict is what a search came to.
type verdict struct {
	complete bool   // all states within the bounds were seen, and no error
	violated string // the claim that does not hold, if one does not
	report   string // pan's own
}

var violation = regexp.MustCompile(`assertion violated \(*(\w+)`)

// search goes through the states of the model until a claim does not hold.
func (c checker) search(t *testing.T) verdict {
	t.Helper()
	v := verdict{report: c.run(t, "./pan", "-m10000", "-w22")}
	v.complete = strings.Contains(v.report, "errors: 0") &&
		!strings.Contains(v.report, "Search not completed") &&
		!strings.Contains(v.report, "max search depth too small")
	if found := violation.FindStringSubmatch(v.report); found != nil {
		v.violated = found[1]
	}
	return v
}

// counterexample tells step by step how the violation came about.
func (c checker) counterexample(t *testing.T) string {
	t.Helper()
	steps := c.run(t, "spin", append(c.macros, "-t", "-B", "lockside.pml")...)
	steps, _, _ = strings.Cut(steps, "spin: trail ends")
	return steps
}

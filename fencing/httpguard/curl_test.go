package httpguard_test

import (
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// TestCurl runs the exchange as the package's documentation shows it.
func TestCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("install curl to run the exchange that the documentation shows")
	}
	p := startProcess(t, "")
	steps := exchange(t)
	if len(steps) != 8 {
		t.Errorf("the documentation shows %d requests, want 8", len(steps))
	}
	for _, step := range steps {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", step.command)
		cmd.Env = append(cmd.Environ(), "URL=http://"+p.address+"/values/kept")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v, %s", step.command, err, out)
		}
		if got := strings.TrimSuffix(string(out), "\n"); got != step.answer {
			t.Errorf("%s\nprints\n%s\nwant\n%s", step.command, got, step.answer)
		}
	}
}

// A step is a command and what it prints.
type step struct{ command, answer string }

// exchange reads the commands from the documentation.
func exchange(t *testing.T) []step {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	for line := range strings.Lines(file.Doc.Text()) {
		code, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t")
		command, isCommand := strings.CutPrefix(code, "$ ")
		switch {
		case found && isCommand:
			steps = append(steps, step{command: command})
		case found && len(steps) > 0:
			last := &steps[len(steps)-1]
			last.answer = strings.TrimPrefix(last.answer+"\n"+code, "\n")
		}
	}
	return steps
}

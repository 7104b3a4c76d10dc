package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func scripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/p*")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range files {
		if dir := filepath.Dir(file); dir == "deb" || dir == "rpm" {
			all = append(all, file)
		}
	}
	if len(all) != 7 {
		t.Fatalf("scripts are %q", all)
	}
	return all
}

func TestScriptsParse(t *testing.T) {
	for _, script := range scripts(t) {
		says(t, "sh", "-n", script)
	}
}

func TestShellcheck(t *testing.T) {
	needs(t, "shellcheck")
	says(t, "shellcheck", scripts(t)...)
}

func TestLintian(t *testing.T) {
	needs(t, "lintian")
	t.Setenv("TMPDIR", t.TempDir()) // where it leaves a file behind
	for _, file := range packages(t, "v1.2.3", "deb") {
		lint := exec.CommandContext(t.Context(), "lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", file)
		if out, err := lint.CombinedOutput(); err != nil || strings.Contains(string(out), "W: ") {
			t.Errorf("%s: %v\n%s", filepath.Base(file), err, out)
		}
	}
}

func TestRpmlint(t *testing.T) {
	needs(t, "rpmlint")
	for _, file := range packages(t, "v1.2.3", "rpm") {
		out := says(t, "rpmlint", "--config", "rpm/rpmlint.toml", file)
		if !strings.Contains(out, " 0 errors, 0 warnings") {
			t.Errorf("%s\n%s", filepath.Base(file), out)
		}
	}
}

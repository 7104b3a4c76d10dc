package version_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lockside/cmd/version"
)

func TestString(t *testing.T) {
	for _, test := range []struct {
		info version.Info
		want string
	}{
		{version.Info{Version: "v1.2.3", Commit: "0123abc", Go: "go1.26.8"}, "v1.2.3 commit 0123abc go1.26.8"},
		{version.Info{Version: "(devel)", Go: "go1.26.8"}, "(devel) go1.26.8"},
	} {
		if got := test.info.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestReadKnowsTheCompiler(t *testing.T) {
	if got := version.Read().Go; got != runtime.Version() {
		t.Errorf("got %q, want %q", got, runtime.Version())
	}
}

// TestLinked holds that a program says what the linker was told.
func TestLinked(t *testing.T) {
	program := filepath.Join(t.TempDir(), "lockside")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"-ldflags", "-X lockside/cmd/version.version=v1.2.3 -X lockside/cmd/version.commit=0123abc", "lockside/cmd/lockside")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	want := "lockside v1.2.3 commit 0123abc " + runtime.Version() + "\n"
	for _, ask := range []string{"version", "--version"} {
		out, err := exec.CommandContext(t.Context(), program, ask).Output()
		if err != nil || string(out) != want {
			t.Errorf("lockside %s: got %q (%v), want %q", ask, out, err, strings.TrimSpace(want))
		}
	}
}

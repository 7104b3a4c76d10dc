package etcdtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// releaseVariable names the release of etcd that tests run, if it is not the one
// that this module requires.
const releaseVariable = "LOCKSIDE_TEST_ETCD"

// program is the member program of the release that the environment names, which
// Go's cache keeps, or empty for this module's. The first time it has to be built.
func program(t testing.TB) string {
	t.Helper()
	release := os.Getenv(releaseVariable)
	var pinned string // by this file in the program's directory
	switch release {
	case "", "3.7":
		return ""
	case "3.6":
		pinned = "go.mod"
	case "3.5":
		pinned = release + ".mod"
	default:
		t.Fatalf("%s is %q, want 3.5, 3.6 or 3.7", releaseVariable, release)
	}
	here, err := output("go", "list", "-f", "{{.Dir}}", "lockside/leases/etcdtest")
	if err != nil {
		t.Fatalf("find the etcd member program: %v", err)
	}
	built, err := output("go", "tool", "-C", filepath.Join(here, "member"), "-modfile="+pinned, "-n", "member")
	if err != nil {
		t.Fatalf("build etcd %s: %v", release, err)
	}
	return built
}

// output is the only line that a program prints.
func output(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, problems.String())
	}
	return strings.TrimSpace(string(out)), nil
}

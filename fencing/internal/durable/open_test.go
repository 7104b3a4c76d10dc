//go:build unix

package durable

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// openAs has the test's program open a directory instead of running the tests.
const openAs = "DURABLE_TEST_OPEN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(openAs); dir != "" {
		if _, err := Open(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestOpenBelowWhatNobodyReads holds that a service may be given a directory below
// one that it cannot list, such as another user's.
func TestOpenBelowWhatNobodyReads(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("run as root, who can be somebody else")
	}
	const nobody = 65534
	above, err := os.MkdirTemp("/tmp", "durable-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(above)
	dir, program := filepath.Join(above, "state"), filepath.Join(above, "program")
	text, err := os.ReadFile(os.Args[0]) // whose place nobody may not reach
	if err := errors.Join(err, os.WriteFile(program, text, 0o755), os.Mkdir(dir, 0o700), os.Chown(dir, nobody, nobody), os.Chmod(above, 0o711)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), openAs+"="+dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

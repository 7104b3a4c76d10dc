package systemd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root makes a root directory in which the units and the programs that they name are
// installed, as systemd-analyze wants them.
func root(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("needs systemd-analyze, of the package systemd")
	}
	root := t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"usr/sbin/locksided", "usr/bin/lockside", "bin/kill", "etc/lockside/jobs/nightly"} {
		write(program, "", 0o755)
	}
	for _, target := range []string{"sockets", "network-online", "multi-user", "basic", "sysinit", "shutdown", "network", "local-fs", "timers", "paths"} {
		write("usr/lib/systemd/system/"+target+".target", "[Unit]\nDescription=a target\n", 0o644)
	}
	for _, slice := range []string{"system", "-", "system-lockside"} {
		write("usr/lib/systemd/system/"+slice+".slice", "[Unit]\nDescription=a slice\n", 0o644)
	}
	for _, unit := range []string{"lockside.socket", "lockside.service", "lockside@.service"} {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		write("usr/lib/systemd/system/"+unit, string(text), 0o644)
	}
	return root
}

// TestUnitsAreValid: systemd has nothing to say of them.
func TestUnitsAreValid(t *testing.T) {
	dir := root(t)
	for _, unit := range []string{"lockside.socket", "lockside.service", "lockside@nightly.service"} {
		said, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", "--root="+dir, unit).CombinedOutput()
		if text := strings.TrimSpace(string(said)); err != nil || text != "" {
			t.Errorf("%s: %v\n%s", unit, err, text)
		}
	}
}

// TestServiceIsConfined: systemd's measure of how exposed the daemon is stays at 2.0 or
// below, of 10.
func TestServiceIsConfined(t *testing.T) {
	dir := root(t)
	said, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--no-pager", "--offline=true",
		"--threshold=20", "--root="+dir, "lockside.service").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	t.Log(regexp.MustCompile(`Overall exposure level.*`).FindString(string(said)))
}

// TestEveryOptionLeftOutHasItsReason, so that nobody adds one that looks harmless.
func TestEveryOptionLeftOutHasItsReason(t *testing.T) {
	text, err := os.ReadFile("lockside.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range []string{"PrivateUsers", "ProtectProc", "ProcSubset", "IPAddressDeny", "PrivateNetwork", "RootDirectory", "DynamicUser"} {
		if regexp.MustCompile(`(?m)^` + option + `=`).Match(text) {
			t.Errorf("%s is set", option)
		}
		if !regexp.MustCompile(`(?m)^# .*` + option + `=`).Match(text) {
			t.Errorf("%s is left out without a reason", option)
		}
	}
}

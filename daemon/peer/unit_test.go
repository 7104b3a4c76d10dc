package peer

import (
	"strings"
	"testing"
)

func TestParseUnits(t *testing.T) {
	for _, test := range []struct{ path, unit, userUnit string }{
		{"", "", ""},
		{"/", "", ""},
		{"/init.scope", "init.scope", ""},
		{"/system.slice/backup.service", "backup.service", ""},
		{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", ""},
		{"/system.slice/docker-0a1b.scope/inner/deep", "docker-0a1b.scope", ""},
		{`/system.slice/dev-disk\x2dby.swap`, `dev-disk\x2dby.swap`, ""},
		{"/system.slice/old.service (deleted)", "old.service", ""},
		{"/system.slice/_cgroup.service", "cgroup.service", ""},
		{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope", ""},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service", "user@1000.service", "editor.service"},
		{"/user.slice/user-1000.slice/user@1000.service/init.scope", "user@1000.service", "init.scope"},
		{"/user.slice/user-1000.slice/user@1000.service", "user@1000.service", ""},
		{"/system.slice/a.service/nested.service", "a.service", ""},
		{"/docker/0a1b2c", "", ""},
		{"/kubepods.slice/kubepods-pod1.slice/cri-containerd-9.scope", "cri-containerd-9.scope", ""},
		{"/../../other.service", "", ""},
		{"/system.slice/.service", "", ""},
		{"/system.slice/a b.service", "", ""},
		{"/system.slice/" + strings.Repeat("x", 248) + ".service", "", ""},
	} {
		unit, userUnit := parseUnits(test.path)
		if unit != test.unit || userUnit != test.userUnit {
			t.Errorf("%s is in %q and %q, want %q and %q", test.path, unit, userUnit, test.unit, test.userUnit)
		}
	}
}

func TestParseCgroup(t *testing.T) {
	for _, test := range []struct{ name, text, unit string }{
		{"unified", "0::/system.slice/a.service\n", "a.service"},
		{"version 1", "12:cpu,cpuacct:/other.service\n1:name=systemd:/system.slice/a.service\n", "a.service"},
		{"both, and the unified one in use", "1:name=systemd:/b.service\n0::/system.slice/a.service\n", "a.service"},
		{"both, and the named one in use", "0::/\n1:name=systemd:/system.slice/a.service\n", "a.service"},
		{"neither", "3:cpu:/a.service\n", ""},
		{"colons in the path", "0::/system.slice/a:b.service\n", "a:b.service"},
		{"nothing", "", ""},
	} {
		if unit, _ := parseCgroup([]byte(test.text)); unit != test.unit {
			t.Errorf("%s: %q, want %q", test.name, unit, test.unit)
		}
	}
}

func FuzzParseCgroup(f *testing.F) {
	f.Add([]byte("1:name=systemd:/b.service\n0::/user.slice/user@1.service/a.service\n"))
	f.Add([]byte("0::/system.slice/_a.service (deleted)"))
	f.Fuzz(func(t *testing.T, text []byte) {
		unit, userUnit := parseCgroup(text)
		for _, name := range []string{unit, userUnit} {
			if name != "" && (!isUnit(name) || strings.ContainsAny(name, "/\n \x00")) {
				t.Errorf("%q is no unit", name)
			}
		}
	})
}

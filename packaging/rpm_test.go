package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRPMLife installs, upgrades, downgrades and erases with rpm's own database,
// and holds which calls of systemd's programs that leads to.
func TestRPMLife(t *testing.T) {
	needs(t, "rpm", "ldd")
	older, newer := own(t, "v1.2.3", "rpm"), own(t, "v1.3.0", "rpm")
	r := newRoot(t)
	silent := func(out string) {
		t.Helper()
		if strings.TrimSpace(out) != "" {
			t.Errorf("rpm or a script says %q", out)
		}
	}

	silent(r.rpm("-i", "--nodeps", older))
	r.called("systemd-sysusers lockside.conf", "systemctl preset lockside.socket lockside.service",
		"systemctl daemon-reload", "systemctl is-active lockside.service")
	if got := r.rpm("-q", "lockside"); got != "lockside-1.2.3-1.x86_64\n" && got != "lockside-1.2.3-1.aarch64\n" {
		t.Errorf("installed is %q", got)
	}
	if got := r.rpm("-V", "--nodeps", "lockside"); got != "" {
		t.Errorf("the files are not as the package has them:\n%s", got)
	}

	// An upgrade reloads once, stops nothing, and keeps what was changed.
	upgrade := []string{"systemd-sysusers lockside.conf", "systemctl daemon-reload",
		"systemctl daemon-reload", "systemctl is-active lockside.service", "systemctl reload lockside.service"}
	r.write("active", "")
	r.write("etc/lockside/lockside.yaml", setting)
	silent(r.rpm("-U", "--nodeps", newer))
	r.called(upgrade...)
	if text, _ := os.ReadFile(filepath.Join(r.dir, "etc/lockside/lockside.yaml")); string(text) != setting {
		t.Errorf("the configuration is now %q", text)
	}
	silent(r.rpm("-U", "--nodeps", "--oldpackage", older))
	r.called(upgrade...)

	// A daemon that cannot go on as the new program is left alone.
	r.write("broken", "")
	if out := r.rpm("-U", "--nodeps", newer); !strings.Contains(out, "restart it when its locks can be spared") {
		t.Errorf("rpm says %q", out)
	}
	r.called(upgrade...)

	r.write("var/lib/lockside/revision", "1")
	out := r.rpm("-e", "lockside")
	if !strings.Contains(out, "saved as") || strings.Count(out, "\n") != 1 {
		t.Errorf("rpm says %q", out)
	}
	r.called("systemctl disable lockside.socket lockside.service",
		"systemctl stop lockside.socket lockside.service", "systemctl daemon-reload")
	r.want("!usr/sbin/locksided", "!usr/lib/systemd/system/lockside.socket", "!usr/share/doc/lockside",
		"etc/lockside/lockside.yaml.rpmsave", "var/lib/lockside/revision")
}

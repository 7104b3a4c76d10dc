package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const setting = "endpoints: [etcd-1:2379]\n"

// quiet fails if a maintainer script said something: all is well.
func quiet(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if !regexp.MustCompile(`^(\(Reading|Selecting|Preparing|Unpacking|Setting up|Removing|Purging|dpkg: warning: downgrading|Processing triggers)`).MatchString(line) {
			t.Errorf("dpkg or a script says %q", line)
		}
	}
}

// TestDebLife installs, upgrades, removes and purges, and holds which calls of
// systemd's programs that leads to.
func TestDebLife(t *testing.T) {
	needs(t, "dpkg", "ldd")
	older, newer := own(t, "v1.2.3", "deb"), own(t, "v1.3.0", "deb")
	r := newRoot(t)

	quiet(t, r.dpkg("-i", older))
	r.want("usr/sbin/locksided", "usr/lib/systemd/system/lockside.socket", "etc/lockside/lockside.yaml")
	enable := []string{
		"systemd-sysusers lockside.conf",
		"deb-systemd-helper unmask lockside.socket", "deb-systemd-helper was-enabled lockside.socket", "deb-systemd-helper enable lockside.socket",
		"deb-systemd-helper unmask lockside.service", "deb-systemd-helper was-enabled lockside.service", "deb-systemd-helper enable lockside.service",
		"systemctl daemon-reload", "systemctl is-active lockside.service",
	}
	r.called(append(enable, "deb-systemd-invoke start lockside.socket lockside.service")...)

	// An upgrade reloads, touches no socket, and keeps what was changed.
	r.write("active", "")
	r.write("etc/lockside/lockside.yaml", setting)
	quiet(t, r.dpkg("-i", newer))
	r.called(append(enable, "deb-systemd-invoke reload lockside.service")...)
	if text, _ := os.ReadFile(filepath.Join(r.dir, "etc/lockside/lockside.yaml")); string(text) != setting {
		t.Errorf("the configuration is now %q", text)
	}
	quiet(t, r.dpkg("-i", older)) // and so does a downgrade
	r.called(append(enable, "deb-systemd-invoke reload lockside.service")...)

	// A daemon that cannot go on as the new program is left alone.
	r.write("broken", "")
	if out := r.dpkg("-i", newer); !strings.Contains(out, "restart it when its locks can be spared") {
		t.Errorf("dpkg says %q", out)
	}
	r.called(append(enable, "deb-systemd-invoke reload lockside.service")...)

	// What was disabled stays so.
	r.remove("broken")
	r.write("disabled", "")
	quiet(t, r.dpkg("-i", older))
	if calls := r.calls(); strings.Contains(calls, "helper enable") || !strings.Contains(calls, "update-state lockside.socket") {
		t.Errorf("called\n%s", calls)
	}

	r.write("var/lib/lockside/revision", "1")
	quiet(t, r.dpkg("-r", "lockside"))
	r.called("deb-systemd-invoke stop lockside.socket lockside.service", "systemctl daemon-reload")
	r.want("!usr/sbin/locksided", "!usr/lib/systemd/system/lockside.service", "etc/lockside/lockside.yaml", "var/lib/lockside/revision")

	quiet(t, r.dpkg("-P", "lockside"))
	r.called("deb-systemd-helper purge lockside.socket lockside.service")
	r.want("!etc/lockside", "!var/lib/lockside", "!usr/share/doc/lockside")

	r.remove("disabled")
	r.remove("active")
	quiet(t, r.dpkg("-i", older)) // once more
	r.want("etc/lockside/lockside.yaml")
}

// TestDebWithoutSystemd installs in an image that is not running: the scripts run
// on this machine, with its own deb-systemd-helper.
func TestDebWithoutSystemd(t *testing.T) {
	needs(t, "dpkg", "ldd", "deb-systemd-helper", "systemd-sysusers")
	r := newRoot(t)
	r.write("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
	r.write("etc/group", "root:x:0:\n")
	r.dpkg("--force-script-chrootless", "-i", own(t, "v1.2.3", "deb"))
	group, err := os.ReadFile(filepath.Join(r.dir, "etc/group"))
	if err != nil || !strings.Contains(string(group), "lockside:") {
		t.Errorf("groups are %q (%v)", group, err)
	}
	r.want("etc/systemd/system/sockets.target.wants/lockside.socket")
	r.dpkg("--force-script-chrootless", "-P", "lockside")
	r.want("!etc/systemd/system/sockets.target.wants/lockside.socket", "!etc/lockside")
	if r.has("calls") {
		t.Error("systemd's programs in the image were called")
	}
}

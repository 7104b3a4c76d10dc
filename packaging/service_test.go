package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInstalled is a day in the life of a host: the package is installed as the
// README shows, locks are taken, and the package is upgraded, removed and purged.
func TestInstalled(t *testing.T) {
	m := boot(t)
	older, newer := own(t, "v1.2.3", "deb"), own(t, "v1.3.0", "deb")
	dir := t.TempDir()
	says(t, "dpkg-deb", "-x", older, dir)
	m.etcd(filepath.Join(dir, "usr/sbin/locksided"))
	m.bring(older)

	start := time.Now()
	var last string
	for _, line := range install(t) {
		last = m.run("root", strings.NewReplacer("http://etcd-1:2379", "http://127.0.0.1:2379", "app", "root").Replace(line))
	}
	if took := time.Since(start); took > time.Minute || !strings.Contains(last, "fence ") {
		t.Errorf("installing and locking took %s, and said %q", took, last)
	} else {
		t.Logf("from the package to a lock: %s", took)
	}
	users(m)
	upgrade(m, newer)
	stop(m)
	leave(m, newer)
}

// users holds that those in the group may lock, and that others may not.
func users(m *machine) {
	m.t.Helper()
	m.run("root", "useradd friend && useradd stranger && usermod -aG lockside friend")
	const lock = `echo 'LOCK nightly' | socat -t 5 - UNIX-CONNECT:/run/lockside/lockside.sock`
	if out := m.run("friend", lock); !strings.HasPrefix(out, "OK fence=") {
		m.t.Errorf("who is in the group reads %q", out)
	}
	if out, err := m.try("stranger", lock); err == nil || !strings.Contains(out, "Permission denied") {
		m.t.Errorf("who is not in the group reads %q", out)
	}
}

// upgrade holds that an upgrade of the package is not noticed by 200 who hold a
// lock and 50 who wait for one.
func upgrade(m *machine, newer string) {
	m.t.Helper()
	m.run("root", "mkdir -p /tmp/out; for i in $(seq 200); do setsid -f lockside hold n$i >/tmp/out/holder$i 2>&1; done")
	m.wait("200 holders", func() bool { return len(m.holding()) == 200 })
	m.run("root", "for i in $(seq 50); do setsid -f lockside hold -q n$i >/tmp/out/waiter$i 2>&1; done")
	m.wait("50 waiters", func() bool { return strings.Contains(m.run("root", "lockside ls | grep -c waiter || true"), "50") })
	before := m.holding()

	m.bring(newer)
	m.run("root", "apt-get -q install -y ./"+filepath.Base(newer))
	m.wait("the newer version", func() bool {
		out, err := m.try("root", "lockside status")
		return err == nil && strings.Contains(out, "v1.3.0")
	})
	if diff := cmp.Diff(before, m.holding()); diff != "" {
		m.t.Errorf("other locks are held after the upgrade:\n%s", diff)
	}
	if n := m.running("^lockside hold"); n != 250 {
		m.t.Errorf("%d of 250 go on\n%s", n, m.run("root", "tail -n 3 /tmp/out/* | grep -v fence= | tail -n 30"))
	}
	m.run("root", "for i in $(seq 50); do pkill -ofx \"lockside hold n$i\"; done")
	m.wait("the waiters' turn", func() bool { return m.run("root", "cat /tmp/out/waiter* | grep -c fence= || true") == "50\n" })
}

// stop holds that a stop frees every lock, and tells everybody, in five seconds.
func stop(m *machine) {
	m.t.Helper()
	start := time.Now()
	m.run("root", "systemctl stop lockside.socket lockside.service")
	if took := time.Since(start); took > 5*time.Second {
		m.t.Errorf("the stop took %s", took)
	}
	m.wait("the holders' end", func() bool { return m.running("^lockside hold") == 0 })
	m.run("root", "systemctl start lockside.socket lockside.service")
	m.run("root", "lockside run -n n1 -- true")
}

// leave removes, purges and installs once more.
func leave(m *machine, deb string) {
	m.t.Helper()
	m.run("root", "apt-get -q remove -y lockside")
	if out, err := m.try("root", "systemctl is-active lockside.socket lockside.service"); err == nil {
		m.t.Errorf("after the removal the units are %q", out)
	}
	m.run("root", "test -e /etc/lockside/lockside.yaml && test ! -e /run/lockside/lockside.sock")
	m.run("root", "apt-get -q purge -y lockside")
	if left, _ := m.try("root", "find / -xdev -name '*lockside*' -not -name etcd-in-locksided -not -path '/proc/*' -not -path '/root/*' -not -path '/tmp/*' -not -path '/var/log/*' -not -path '/var/cache/*'"); left != "" {
		m.t.Errorf("left after the purge:\n%s", left)
	}
	m.run("root", "apt-get -q install -y ./"+filepath.Base(deb))
	m.wait("the socket", func() bool { _, err := m.try("root", "test -S /run/lockside/lockside.sock"); return err == nil })
}

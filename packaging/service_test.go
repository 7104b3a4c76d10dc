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
	m.crowd()
	m.replace(newer, "v1.3.0")
	m.replace(older, "v1.2.3")
	reload(m)
	waiters(m)
	restart(m)
	stop(m)
	crash(m)
	hang(m)
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

// crowd has 200 hold a lock and 50 wait for one.
func (m *machine) crowd() {
	m.t.Helper()
	m.run("root", "mkdir -p /tmp/out; for i in $(seq 200); do setsid -f lockside hold n$i >/tmp/out/holder$i 2>&1; done")
	m.wait("200 holders", func() bool { return len(m.holding()) == 200 })
	m.run("root", "for i in $(seq 50); do setsid -f lockside hold -q n$i >/tmp/out/waiter$i 2>&1; done")
	m.wait("50 waiters", func() bool { return m.run("root", "lockside ls | grep -c waiter || true") == "50\n" })
}

// replace installs another version, newer or older, and holds that none of those
// who hold or wait notices.
func (m *machine) replace(deb, version string) {
	m.t.Helper()
	before := m.holding()
	m.bring(deb)
	m.run("root", "apt-get -q install -y --allow-downgrades ./"+filepath.Base(deb))
	m.wait(version, func() bool {
		out, err := m.try("root", "lockside status")
		return err == nil && strings.Contains(out, version)
	})
	if diff := cmp.Diff(before, m.holding()); diff != "" {
		m.t.Errorf("with %s other locks are held:\n%s", version, diff)
	}
	if n := m.running("^lockside hold"); n != 250 {
		m.t.Errorf("with %s %d of 250 go on\n%s", version, n, m.run("root", "tail -n 3 /tmp/out/* | grep -v fence= | tail -n 30"))
	}
}

// waiters holds that those who waited all the while are served when it is their
// turn.
func waiters(m *machine) {
	m.t.Helper()
	m.run("root", "for i in $(seq 50); do pkill -ofx \"lockside hold n$i\"; done")
	m.wait("the waiters' turn", func() bool { return m.run("root", "cat /tmp/out/waiter* | grep -c fence= || true") == "50\n" })
}

// reload holds that a changed configuration is in force without a lock lost, and that one
// which is no good is refused with a word, and changes nothing.
func reload(m *machine) {
	m.t.Helper()
	before := m.holding()
	m.run("root", "cp /etc/lockside/lockside.yaml /root/good && echo 'min-ttl: 12s' >>/etc/lockside/lockside.yaml && systemctl reload lockside")
	m.wait("the changed bound", func() bool {
		out, err := m.try("root", "lockside run -n --ttl 10s bounded -- true")
		return err != nil && strings.Contains(out, "from 12s")
	})
	m.run("root", "echo 'no-such-setting: 1' >>/etc/lockside/lockside.yaml")
	if out, err := m.try("root", "systemctl reload lockside"); err == nil {
		m.t.Errorf("a configuration that is no good is reloaded: %q", out)
	}
	m.run("root", "cp /root/good /etc/lockside/lockside.yaml && systemctl reload lockside")
	m.wait("the bound before", func() bool { _, err := m.try("root", "lockside run -n --ttl 10s bounded -- true"); return err == nil })
	if diff := cmp.Diff(before, m.holding()); diff != "" {
		m.t.Errorf("after reloads other locks are held:\n%s", diff)
	}
}

// restart holds that a restart tells everybody, and serves whoever comes meanwhile.
func restart(m *machine) {
	m.t.Helper()
	m.run("root", "systemctl restart lockside.service")
	m.wait("the holders' end", func() bool { return m.running("^lockside hold") == 0 })
	m.run("root", "lockside run -n n1 -- true")
	m.run("root", "setsid -f lockside hold held >/tmp/out/held 2>&1")
	m.wait("a holder", func() bool { return len(m.holding()) == 1 })
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

// crash holds that the locks of a daemon that is killed are free as soon as it
// runs again.
func crash(m *machine) {
	m.t.Helper()
	m.run("root", "setsid -f lockside hold crashed >/tmp/out/crashed 2>&1")
	m.wait("the holder", func() bool { return len(m.holding()) == 1 })
	m.run("root", "systemctl kill --kill-who=main --signal=KILL lockside.service")
	m.run("root", "lockside run -w 5s crashed -- true")
	m.wait("the holder's end", func() bool { return m.running("^lockside hold") == 0 })
}

// hang holds that a daemon which stands still has its clients read end-of-file
// before etcd can give their locks away.
func hang(m *machine) {
	m.t.Helper()
	m.run("root", "mkfifo /tmp/in && setsid -f sh -c 'exec 3<>/tmp/in; echo LOCK hung >&3; socat - UNIX-CONNECT:/run/lockside/lockside.sock <&3; echo end' >/tmp/out/hung 2>&1")
	m.wait("the lock", func() bool { return strings.HasPrefix(m.run("root", "cat /tmp/out/hung"), "OK fence=") })
	start := time.Now()
	m.run("root", "systemctl kill --kill-who=main --signal=STOP lockside.service")
	m.wait("end-of-file", func() bool { return strings.HasSuffix(m.run("root", "cat /tmp/out/hung"), "end\n") })
	if took := time.Since(start); took > 10*time.Second { // A third of the TTL may be over since the last renewal.
		m.t.Errorf("end-of-file came %s after the daemon stood still", took)
	} else {
		m.t.Logf("from a daemon that hangs to end-of-file: %s", took)
	}
	m.wait("the next daemon", func() bool { _, err := m.try("root", "lockside run -w 5s hung -- true"); return err == nil })
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

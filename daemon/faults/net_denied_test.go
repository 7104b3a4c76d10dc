package faults_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockside/daemon/config"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// A blunder is what an operator got wrong in a configuration.
type blunder struct {
	name string
	make func(*config.Config)
	says string // some word of what has to be told
}

// blunders are of who must not enter a fortress.
func (f *fortress) blunders() []blunder {
	other := etcdtest.NewAuthority(f.t, f.t.TempDir())
	expired := f.ca.Issue(f.t.TempDir(), "host", time.Now().Add(-time.Second))
	foreign := other.Issue(f.t.TempDir(), "host", time.Now().Add(time.Minute))
	return []blunder{
		{"wrong password", func(c *config.Config) { c.Password = "guess" }, "password"},
		{"unknown user", func(c *config.Config) { c.User = "nobody" }, "password"},
		{"no user", func(c *config.Config) { c.User, c.Password = "", "" }, "permission denied"}, // its certificate is of no user,
		{"another's prefix", func(c *config.Config) { c.Prefix = "other/" }, "permission denied"},
		{"certificate expired", func(c *config.Config) { c.Cert, c.Key = expired.Cert, expired.Key }, "certificate"},
		{"certificate of another authority", func(c *config.Config) { c.Cert, c.Key = foreign.Cert, foreign.Key }, "certificate"},
		{"no certificate", func(c *config.Config) { c.Cert, c.Key = "", "" }, "certificate"},
		{"authority of others", func(c *config.Config) { c.CACert = other.File }, "certificate"},
	}
}

// TestNotLetIn: whoever is wrong to etcd serves no lock, says why, and takes none from
// those who are right.
func TestNotLetIn(t *testing.T) {
	t.Parallel()
	f := newFortress(t, 9, etcdtest.WithTokenTTL(60))
	right := f.addSite(t, secureTTL, f.mayEnter)
	holder, held := right.lock(t, "nightly")
	for _, b := range f.blunders() {
		wrong := f.addSite(t, secureTTL, func(c *config.Config) {
			f.mayEnter(c)
			b.make(c)
		})
		c := wrong.dial(t)
		r, _ := c.ask("LOCK nightly wait=2s")
		if text := string(r.Append(nil)); r.Code != ipc.CodeUnavailable || !strings.Contains(text, b.says) {
			t.Errorf("%s: LOCK is answered %s", b.name, text)
		}
		c.refused("LOCK other wait=500ms", ipc.CodeUnavailable)
		if health := c.health(); health != "refused" {
			t.Errorf("%s: STATUS says health=%s", b.name, health)
		}
		wrong.process.kill()
		holder.check("nightly", held)
	}
	holder.unlock("nightly")
}

// TestCertificateIsPutRight: a daemon whose certificate has ended serves as soon
// as the file holds one that is good.
func TestCertificateIsPutRight(t *testing.T) {
	t.Parallel()
	f := newFortress(t, 1, etcdtest.WithTokenTTL(60))
	dir := t.TempDir()
	f.ca.Issue(dir, "host", time.Now().Add(-time.Second))
	s := f.addSite(t, secureTTL, func(c *config.Config) {
		f.mayEnter(c)
		c.Cert, c.Key = filepath.Join(dir, "host.pem"), filepath.Join(dir, "host-key.pem")
	})
	c := s.dial(t)
	c.refused("LOCK nightly wait=500ms", ipc.CodeUnavailable)
	f.ca.Issue(dir, "host", time.Now().Add(time.Minute))
	c.lock("LOCK nightly")
	c.unlock("nightly")
}

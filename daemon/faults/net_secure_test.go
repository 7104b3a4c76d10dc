package faults_test

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"lockside/daemon/config"
	"lockside/leases/etcdtest"
)

// secureTTL leaves room for an election and for a login that has to be repeated.
const secureTTL = 10 * time.Second

// A fortress is a bench whose members speak TLS alone, and only to those who have
// a certificate and log in.
type fortress struct {
	*bench
	t                testing.TB
	ca               *etcdtest.Authority
	servers, clients string // directories of certificates
}

// newFortress runs members that issue tokens of a kind, and a user lock. The
// first certificates end in a while.
func newFortress(t testing.TB, sites int, tokens etcdtest.Option) *fortress {
	t.Helper()
	f := &fortress{t: t, ca: etcdtest.NewAuthority(t, t.TempDir()), servers: t.TempDir(), clients: t.TempDir()}
	files := f.renewServers(time.Minute)
	f.renewClients(time.Minute)
	f.bench = newMembers(t, sites, tokens, etcdtest.WithTLS(files))
	enableLogin(t, f.cluster)
	return f
}

// renewServers replaces the members' certificate, which each new connection is
// shown.
func (f *fortress) renewServers(life time.Duration) etcdtest.TLSFiles {
	f.t.Helper()
	var hosts []net.IP
	for i := range 3 {
		hosts = append(hosts, net.IPv4(10, 0, 0, byte(i+1)))
	}
	return f.ca.Issue(f.servers, "etcd", time.Now().Add(life), hosts...)
}

// renewClients replaces the daemons' certificate.
func (f *fortress) renewClients(life time.Duration) {
	f.ca.Issue(f.clients, "host", time.Now().Add(life))
}

// mayEnter configures a daemon with all that it takes.
func (f *fortress) mayEnter(c *config.Config) {
	c.CACert = f.ca.File
	c.Cert, c.Key = filepath.Join(f.clients, "host.pem"), filepath.Join(f.clients, "host-key.pem")
	c.User, c.Password = "lock", "lock"
}

// TestFortress: tokens end between any two renewals, certificates end and are
// renewed, and members restart, so that daemons have to prove anew who they are
// all the time. No lock is lost, and all are handed over.
func TestFortress(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]etcdtest.Option{
		"simple tokens": etcdtest.WithTokenTTL(1),
		"signed tokens": etcdtest.WithSignedTokens(t, time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFortress(t, 2, tokens)
			for range 2 {
				f.addSite(t, secureTTL, f.mayEnter)
			}
			all := f.vigils(t)
			for i, m := range f.cluster.Members {
				const life = 2 * time.Second // shorter than the pause between two renewals
				f.renewServers(life)
				f.renewClients(life)
				least := renewAll(t, all)
				f.renewServers(time.Minute)
				f.renewClients(time.Minute)
				m.Restart(t)
				least = min(least, renewAll(t, all))
				t.Logf("member %d: %v left at least", i, least)
			}
			endAll(all)
		})
	}
}

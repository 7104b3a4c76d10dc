package main

import (
	"net"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"lockside/leases/etcdtest"
)

// An etcd stands for the reader's: it speaks TLS at three addresses of this host, and
// knows its clients by their certificates.
type etcd struct {
	t      testing.TB
	dir    string // holds the certificates
	data   string
	listen []url.URL
	member *embed.Etcd // nil while stopped
}

// startEtcd runs one until the test ends. It puts ca.pem, host.pem and host-key.pem,
// a client's, into dir.
func startEtcd(t testing.TB, dir, data string) *etcd {
	t.Helper()
	hosts := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 2), net.IPv4(127, 0, 0, 3)}
	ca := etcdtest.NewAuthority(t, dir)
	ca.Issue(dir, "host", time.Now().Add(time.Hour))
	ca.Issue(dir, "etcd", time.Now().Add(time.Hour), hosts...)

	e := &etcd{t: t, dir: dir, data: data}
	for _, host := range hosts {
		e.listen = append(e.listen, url.URL{Scheme: "https", Host: net.JoinHostPort(host.String(), "0")})
	}
	t.Cleanup(e.stop)
	if err := e.start(); err != nil {
		t.Fatal(err)
	}
	return e
}

// start runs the member on its data, at the same addresses as before.
func (e *etcd) start() error {
	c := embed.NewConfig()
	c.Dir = e.data
	c.ListenPeerUrls = nil
	c.ListenClientUrls, c.AdvertiseClientUrls = e.listen, e.listen
	c.ClientTLSInfo.CertFile = filepath.Join(e.dir, "etcd.pem")
	c.ClientTLSInfo.KeyFile = filepath.Join(e.dir, "etcd-key.pem")
	c.ClientTLSInfo.TrustedCAFile = filepath.Join(e.dir, "ca.pem")
	c.ClientTLSInfo.ClientCertAuth = true
	c.EnableGRPCGateway = false
	c.UnsafeNoFsync = true
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	member, err := embed.StartEtcd(c)
	if err != nil {
		return err
	}
	<-member.Server.ReadyNotify()
	for i, listener := range member.Clients {
		e.listen[i].Host = listener.Addr().String()
	}
	e.member = member
	return nil
}

// stop ends the member, if it runs, and keeps its data.
func (e *etcd) stop() {
	if e.member != nil {
		e.member.Close()
		e.member = nil
	}
}

func (e *etcd) endpoints() (all []string) {
	for _, u := range e.listen {
		all = append(all, u.String())
	}
	return all
}

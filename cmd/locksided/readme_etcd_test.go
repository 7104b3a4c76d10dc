package main

import (
	"crypto/x509"
	"net"
	"net/url"
	"path/filepath"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// startEtcd runs an etcd that speaks TLS at three addresses of this host, and
// knows its clients by their certificates. It puts ca.pem, host.pem and
// host-key.pem, a client's, into dir.
func startEtcd(t testing.TB, dir string) (endpoints []string) {
	t.Helper()
	hosts := []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}
	ca := newAuthority(t, dir)
	ca.issue("host", x509.ExtKeyUsageClientAuth)
	ca.issue("etcd", x509.ExtKeyUsageServerAuth, hosts...)

	c := embed.NewConfig()
	c.Dir = t.TempDir()
	c.ListenPeerUrls, c.ListenClientUrls = nil, nil
	for _, host := range hosts {
		c.ListenClientUrls = append(c.ListenClientUrls, url.URL{Scheme: "https", Host: net.JoinHostPort(host, "0")})
	}
	c.AdvertiseClientUrls = c.ListenClientUrls
	c.ClientTLSInfo.CertFile = filepath.Join(dir, "etcd.pem")
	c.ClientTLSInfo.KeyFile = filepath.Join(dir, "etcd-key.pem")
	c.ClientTLSInfo.TrustedCAFile = filepath.Join(dir, "ca.pem")
	c.ClientTLSInfo.ClientCertAuth = true
	c.EnableGRPCGateway = false
	c.UnsafeNoFsync = true
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	etcd, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	<-etcd.Server.ReadyNotify()
	for _, listener := range etcd.Clients {
		endpoints = append(endpoints, "https://"+listener.Addr().String())
	}
	return endpoints
}

package etcd_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"

	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

func newAuthority(t *testing.T) *etcdtest.Authority {
	t.Helper()
	return etcdtest.NewAuthority(t, t.TempDir())
}

// issue writes a certificate for the loopback address and its key to a directory.
func issue(a *etcdtest.Authority, dir string) (cert, key string) {
	files := a.Issue(dir, "host", time.Now().Add(time.Hour), net.IPv4(127, 0, 0, 1))
	return files.Cert, files.Key
}

// serveTLS has the impostor ask for certificates of an authority's.
func (s *impostor) serveTLS(t *testing.T, a *etcdtest.Authority) string {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(issue(a, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.serveOn(t, l, credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{cert},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    pool,
	}))
	return l.Addr().String()
}

func TestTLSWithCertificatesThatAreRenewed(t *testing.T) {
	ca, other, dir := newAuthority(t), newAuthority(t), t.TempDir()
	s := &impostor{version: "3.7.3"}
	addr := s.serveTLS(t, ca)
	files := etcd.TLSFiles{CA: ca.File}
	files.Cert, files.Key = issue(other, dir) // the server does not know who signed it
	cfg, err := files.Config()
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, etcd.Config{Endpoints: []string{"https://" + addr}, TLS: cfg})
	if _, err := c.Txn(soon(t), then(put("a", "", 0))); err == nil {
		t.Fatal("a certificate of another authority was taken")
	}
	issue(ca, dir)
	eventually(t, "the new certificate to be used", healthy(c, 1))
	mustTxn(t, c, put("a", "", 0))
}

func TestTLSServerMustBeTheRightOne(t *testing.T) {
	ca, other, dir := newAuthority(t), newAuthority(t), t.TempDir()
	addr := (&impostor{version: "3.7.3"}).serveTLS(t, ca)
	cert, key := issue(ca, dir)
	for name, test := range map[string]struct {
		files etcd.TLSFiles
		want  string // in the error
	}{
		"right":         {etcd.TLSFiles{CA: ca.File}, ""},
		"wrong CA":      {etcd.TLSFiles{CA: other.File}, "unknown authority"},
		"wrong name":    {etcd.TLSFiles{CA: ca.File, ServerName: "etcd.example"}, "etcd.example"},
		"not looked at": {etcd.TLSFiles{CA: other.File, SkipVerify: true}, ""},
	} {
		test.files.Cert, test.files.Key = cert, key
		cfg, err := test.files.Config()
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, etcd.Config{Endpoints: []string{addr}, TLS: cfg})
		eventually(t, "a probe", func() bool { s := c.Status().Endpoints[0]; return s.Healthy || s.Err != nil })
		err = c.Status().Endpoints[0].Err
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the endpoint fails with %v, want %q", name, err, test.want)
		}
	}
}

func TestTLSFilesThatMakeNoSense(t *testing.T) {
	dir := t.TempDir()
	cert, key := issue(newAuthority(t), dir)
	for name, files := range map[string]etcd.TLSFiles{
		"no such CA":     {CA: filepath.Join(dir, "none")},
		"CA is a key":    {CA: key},
		"cert alone":     {Cert: cert},
		"key alone":      {Key: key},
		"cert is a key":  {Cert: key, Key: key},
		"no such a cert": {Cert: filepath.Join(dir, "none"), Key: key},
	} {
		if _, err := files.Config(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

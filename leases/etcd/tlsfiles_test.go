package etcd_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"

	"lockside/leases/etcd"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue writes a certificate for the loopback address and its key to a directory.
func (a authority) issue(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	k := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "leaf"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, k.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "cert.pem", "CERTIFICATE", der), write(t, dir, "key.pem", "PRIVATE KEY", pkcs8)
}

func write(t *testing.T, dir, name, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// serveTLS has the impostor ask for certificates of an authority's.
func (s *impostor) serveTLS(t *testing.T, a authority) string {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(a.issue(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
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
	files := etcd.TLSFiles{CA: write(t, dir, "ca.pem", "CERTIFICATE", ca.cert.Raw)}
	files.Cert, files.Key = other.issue(t, dir) // the server does not know who signed it
	cfg, err := files.Config()
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, etcd.Config{Endpoints: []string{"https://" + addr}, TLS: cfg})
	if _, err := c.Txn(soon(t), then(put("a", "", 0))); err == nil {
		t.Fatal("a certificate of another authority was taken")
	}
	ca.issue(t, dir)
	eventually(t, "the new certificate to be used", healthy(c, 1))
	mustTxn(t, c, put("a", "", 0))
}

func TestTLSServerMustBeTheRightOne(t *testing.T) {
	ca, other, dir := newAuthority(t), newAuthority(t), t.TempDir()
	addr := (&impostor{version: "3.7.3"}).serveTLS(t, ca)
	cert, key := ca.issue(t, dir)
	right := write(t, dir, "ca.pem", "CERTIFICATE", ca.cert.Raw)
	wrong := write(t, dir, "other.pem", "CERTIFICATE", other.cert.Raw)
	for name, test := range map[string]struct {
		files etcd.TLSFiles
		want  string // in the error
	}{
		"right":         {etcd.TLSFiles{CA: right}, ""},
		"wrong CA":      {etcd.TLSFiles{CA: wrong}, "unknown authority"},
		"wrong name":    {etcd.TLSFiles{CA: right, ServerName: "etcd.example"}, "etcd.example"},
		"not looked at": {etcd.TLSFiles{CA: wrong, SkipVerify: true}, ""},
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
	cert, key := newAuthority(t).issue(t, dir)
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

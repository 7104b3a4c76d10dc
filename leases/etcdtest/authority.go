package etcdtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An Authority signs certificates. What it writes is PEM.
type Authority struct {
	File string // its own certificate
	Cert *x509.Certificate
	t    testing.TB
	key  *ecdsa.PrivateKey
}

// NewAuthority writes the certificate of a new authority, which is good for an hour,
// to ca.pem in a directory.
func NewAuthority(t testing.TB, dir string) *Authority {
	t.Helper()
	a := &Authority{File: filepath.Join(dir, "ca.pem"), t: t, key: newKey(t)}
	a.Cert = template("authority", time.Now().Add(time.Hour))
	a.Cert.IsCA, a.Cert.BasicConstraintsValid = true, true
	a.Cert.KeyUsage = x509.KeyUsageCertSign
	der := a.sign(a.Cert, a.key)
	var err error
	if a.Cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	replace(t, a.File, "CERTIFICATE", der)
	return a
}

// Issue writes a certificate that ends at a moment to NAME.pem in a directory, and its
// key to NAME-key.pem. Both a client and the server at these addresses may show it. A
// pair that is there is replaced.
func (a *Authority) Issue(dir, name string, ends time.Time, addresses ...net.IP) TLSFiles {
	a.t.Helper()
	cert, key := template(name, ends), newKey(a.t)
	cert.IPAddresses = addresses
	cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	files := TLSFiles{CA: a.File, Cert: filepath.Join(dir, name+".pem"), Key: filepath.Join(dir, name+"-key.pem")}
	replace(a.t, files.Cert, "CERTIFICATE", a.sign(cert, key))
	replace(a.t, files.Key, "PRIVATE KEY", pkcs8)
	return files
}

func (a *Authority) sign(cert *x509.Certificate, key *ecdsa.PrivateKey) (der []byte) {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, a.Cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

func template(name string, ends time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     ends,
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// replace replaces a file, so that who reads it meanwhile reads a whole one.
func replace(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

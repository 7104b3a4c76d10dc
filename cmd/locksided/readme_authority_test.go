package main

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

// An authority issues certificates that are good for an hour.
type authority struct {
	t    testing.TB
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// newAuthority writes its own certificate to ca.pem in dir.
func newAuthority(t testing.TB, dir string) *authority {
	t.Helper()
	a := &authority{t: t, dir: dir, key: newKey(t)}
	a.cert = template("authority")
	a.cert.IsCA, a.cert.BasicConstraintsValid = true, true
	a.cert.KeyUsage = x509.KeyUsageCertSign
	a.sign("ca", a.cert, a.key)
	return a
}

// issue writes a certificate to name.pem and its key to name-key.pem.
func (a *authority) issue(name string, usage x509.ExtKeyUsage, addresses ...string) {
	a.t.Helper()
	cert := template(name)
	cert.ExtKeyUsage = []x509.ExtKeyUsage{usage}
	for _, address := range addresses {
		cert.IPAddresses = append(cert.IPAddresses, net.ParseIP(address))
	}
	key := newKey(a.t)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+"-key", "PRIVATE KEY", der)
	a.sign(name, cert, key)
}

func (a *authority) sign(name string, cert *x509.Certificate, key *ecdsa.PrivateKey) {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name, "CERTIFICATE", der)
}

func (a *authority) write(name, kind string, der []byte) {
	a.t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(filepath.Join(a.dir, name+".pem"), text, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(time.Hour),
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

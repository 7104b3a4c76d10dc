package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLSFiles names what a TLS connection to etcd needs, as etcdctl's flags do.
type TLSFiles struct {
	CA         string // --cacert: who signed the servers' certificates; empty trusts the system's roots
	Cert       string // --cert: who we are; may be empty
	Key        string // --key
	ServerName string // name in the servers' certificates, if it is not that of the endpoint
	SkipVerify bool   // --insecure-skip-tls-verify
}

// Config reads the files. The certificate and its key are read again at each
// handshake, so that they may be renewed under a running daemon; the CA is not.
// TLS is 1.2 at least.
func (f TLSFiles) Config() (*tls.Config, error) {
	cfg := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         f.ServerName,
		InsecureSkipVerify: f.SkipVerify,
	}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, fmt.Errorf("read etcd CA: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read etcd CA: no certificate in %s", f.CA)
		}
	}
	if f.Cert == "" && f.Key == "" {
		return cfg, nil
	}
	if f.Cert == "" || f.Key == "" {
		return nil, errors.New("etcd client certificate and key must be given together")
	}
	if _, err := f.certificate(nil); err != nil {
		return nil, err
	}
	cfg.GetClientCertificate = f.certificate
	return cfg, nil
}

func (f TLSFiles) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("read etcd client certificate: %w", err)
	}
	return &cert, nil
}

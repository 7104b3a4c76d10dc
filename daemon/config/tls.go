package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

func (c Config) usesTLSFiles() bool {
	return c.CACert != "" || c.Cert != "" || c.Key != "" || c.InsecureSkipVerify
}

// TLS is how to connect to etcd, nil for connections in the clear. The client
// certificate is read again for each connection, so that a renewed one is used
// without a restart.
func (c Config) TLS() (*tls.Config, error) {
	secure := slices.ContainsFunc(c.Endpoints, func(endpoint string) bool {
		scheme, _, _ := strings.Cut(endpoint, ":")
		return scheme == "https" || scheme == "unixs"
	})
	if !secure && !c.usesTLSFiles() {
		return nil, nil
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: c.InsecureSkipVerify}
	if c.CACert != "" {
		pool, err := readPool(c.CACert)
		if err != nil {
			return nil, err
		}
		conf.RootCAs = pool
	}
	if err := c.addCertificate(conf); err != nil {
		return nil, err
	}
	return conf, nil
}

func readPool(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read CA certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("read CA certificates: no certificate in %s; want PEM", file)
	}
	return pool, nil
}

// addCertificate reads the pair once, so that a bad one is an error at once.
func (c Config) addCertificate(conf *tls.Config) error {
	switch {
	case c.Cert == "" && c.Key == "":
		return nil
	case c.Cert == "" || c.Key == "":
		return errors.New("want cert and key together")
	}
	if _, err := tls.LoadX509KeyPair(c.Cert, c.Key); err != nil {
		return fmt.Errorf("read client certificate: %w", err)
	}
	conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		return &pair, err
	}
	return nil
}

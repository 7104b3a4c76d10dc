package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// checkStore looks at what leads to etcd.
func (l *loader) checkStore() {
	l.checkEmbedded()
	l.checkEndpoints()
	if _, err := l.config.TLS(); err != nil {
		l.fail("cacert, cert, key", "", err)
	}
}

// checkEmbedded refuses settings of one kind of store beside the other kind:
// whoever gave both expects something that is not going to happen.
func (l *loader) checkEmbedded() {
	if err := checkListen(l.config.EmbeddedListen); err != nil {
		l.failAt("embedded-listen", err)
	}
	if !l.config.Embedded {
		if l.given("embedded-listen") {
			l.failAt("embedded-listen", errors.New("means nothing without embedded"))
		}
		return
	}
	for _, key := range []string{
		"endpoints", "cacert", "cert", "key", "insecure-skip-tls-verify",
		"user", "password", "password-file",
	} {
		if l.given(key) {
			l.failAt(key, errors.New("means nothing with embedded; keep one of the two"))
		}
	}
}

// checkListen wants an address that no other host can reach.
func checkListen(address string) error {
	if address == "" {
		return nil
	}
	if path, isUnix := strings.CutPrefix(address, "unix:"); isUnix {
		return checkSocketPath(path)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("want HOST:PORT or unix:PATH")
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return errors.New("want a loopback address: the embedded etcd asks nobody for a password")
	}
	return nil
}

// checkEndpoints wants every endpoint in the same kind of connection, since a
// password sent to one in the clear is known to whoever listens.
func (l *loader) checkEndpoints() {
	files := l.config.usesTLSFiles()
	plain, secure := 0, 0
	for _, endpoint := range l.config.Endpoints {
		scheme, err := checkEndpoint(endpoint)
		switch {
		case err != nil:
			l.failAt("endpoints", fmt.Errorf("%s: %w", endpoint, err))
		case scheme == "http" && files:
			l.failAt("endpoints", fmt.Errorf("%s: want https:// beside certificates", endpoint))
		case scheme == "https" || scheme == "unixs" || files:
			secure++
		default:
			plain++
		}
	}
	if plain > 0 && secure > 0 {
		l.failAt("endpoints", errors.New("want https:// for all of them or for none"))
	}
}

// checkEndpoint takes an endpoint as etcdctl does and tells its scheme, empty
// for a bare HOST:PORT.
func checkEndpoint(endpoint string) (scheme string, err error) {
	host := endpoint
	if strings.Contains(endpoint, "://") || strings.HasPrefix(endpoint, "unix") {
		u, err := url.Parse(endpoint)
		if err != nil {
			return "", errors.New("want HOST:PORT, http://, https://, unix:// or unixs://")
		}
		scheme, host = u.Scheme, u.Host
	}
	switch scheme {
	case "unix", "unixs":
		return scheme, nil
	case "", "http", "https":
		if _, port, err := net.SplitHostPort(host); err != nil || port == "" {
			return "", errors.New("want a port, such as 2379")
		}
		return scheme, nil
	}
	return "", errors.New("want HOST:PORT, http://, https://, unix:// or unixs://")
}

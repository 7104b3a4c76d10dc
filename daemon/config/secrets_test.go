package config_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPasswordIsTakenFromOnePlace(t *testing.T) {
	file := write(t, "pw", "from file\nsecond line\n")
	for _, test := range []struct {
		name           string
		environ, args  []string
		password, want string
	}{
		{"in the user", nil, []string{"--user", "app:a:b"}, "a:b", ""},
		{"beside the user", []string{"LOCKSIDED_PASSWORD=p"}, []string{"--user", "app"}, "p", ""},
		{"in a file", nil, []string{"--user", "app", "--password-file", file}, "from file", ""},
		{"twice", []string{"LOCKSIDED_PASSWORD=hidden"}, []string{"--user", "app:secret"}, "", "given twice"},
		{"no file", nil, []string{"--user", "app", "--password-file", "/nonexistent"}, "", "no such file"},
		{"empty file", nil, []string{"--user", "app", "--password-file", "/dev/null"}, "", "want the password in its first line"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := load(t, test.environ, test.args...)
			if test.want == "" {
				if err != nil || c.User != "app" || c.Password != test.password {
					t.Errorf("user %q, password %q, %v", c.User, c.Password, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hidden")) {
				t.Errorf("the error repeats a password: %v", err)
			}
		})
	}
}

func TestCredentialsAreLookedForFirst(t *testing.T) {
	file := write(t, "etcd-password", "of systemd\n")
	environ := []string{"CREDENTIALS_DIRECTORY=" + filepath.Dir(file)}
	c, err := load(t, environ, "--user", "app", "--password-file", "etcd-password")
	if err != nil || c.Password != "of systemd" {
		t.Errorf("password %q, %v", c.Password, err)
	}
	_, err = load(t, environ, "--user", "app", "--password-file", "./etcd-password")
	if err == nil {
		t.Error("a name with a slash was taken for a credential")
	}
}

func TestTLS(t *testing.T) {
	c, err := load(t, nil, "--endpoints", "a:1")
	if conf, _ := c.TLS(); err != nil || conf != nil {
		t.Errorf("TLS for a plain endpoint: %v, %v", conf, err)
	}
	c, err = load(t, nil, "--endpoints", "https://a:1")
	if conf, _ := c.TLS(); err != nil || conf == nil || conf.RootCAs != nil {
		t.Errorf("want TLS with the host's roots, got %+v, %v", conf, err)
	}
	cert, key := pair(t)
	c, err = load(t, nil, "--endpoints", "a:1", "--cacert", cert, "--cert", cert, "--key", key)
	if err != nil {
		t.Fatal(err)
	}
	conf, err := c.TLS()
	if err != nil || conf.RootCAs == nil || conf.MinVersion != tls.VersionTLS12 {
		t.Fatalf("got %+v, %v", conf, err)
	}
	if got, err := conf.GetClientCertificate(nil); err != nil || len(got.Certificate) != 1 {
		t.Errorf("client certificate: %v", err)
	}
	if _, err = load(t, nil, "--endpoints", "http://a:1", "--cacert", cert); err == nil {
		t.Error("certificates were taken beside http://")
	}
	if _, err = load(t, nil, "--cacert", key); err == nil || !strings.Contains(err.Error(), "no certificate in") {
		t.Errorf("a key as CA: %v", err)
	}
}

// pair makes a certificate and its key, signed by itself.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert = write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	key = write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})))
	return cert, key
}

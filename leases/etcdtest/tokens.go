package etcdtest

import (
	"crypto/x509"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// WithSignedTokens has members hand out tokens that their signature alone makes
// good, for so long after they were issued, whether or not they are used.
func WithSignedTokens(t testing.TB, life time.Duration) Option {
	t.Helper()
	dir, key := t.TempDir(), newKey(t)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	known, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	private, public := filepath.Join(dir, "private.pem"), filepath.Join(dir, "public.pem")
	replace(t, private, "PRIVATE KEY", secret)
	replace(t, public, "PUBLIC KEY", known)
	return WithAuthToken(fmt.Sprintf("jwt,pub-key=%s,priv-key=%s,sign-method=ES256,ttl=%v", public, private, life))
}

package etcdtest

import "strings"

// Option changes how members run.
type Option func(*config)

// WithFsync has members sync their log to disk, as they do outside of tests.
func WithFsync() Option { return func(c *config) { c.Fsync = true } }

// WithQuota bounds the size of the database, in bytes.
func WithQuota(bytes int64) Option { return func(c *config) { c.Quota = bytes } }

// WithTokenTTL bounds how long an authentication token lives unused, in seconds.
func WithTokenTTL(seconds uint) Option { return func(c *config) { c.TokenTTL = seconds } }

// WithClusterToken makes the cluster's id another one at the same addresses.
func WithClusterToken(token string) Option { return func(c *config) { c.Token = token } }

// WithAuthToken sets the kind of authentication tokens, as etcd's --auth-token.
func WithAuthToken(kind string) Option { return func(c *config) { c.Auth = kind } }

// TLSFiles are PEM files: who signs the clients' certificates, the member's own
// certificate, and its key.
type TLSFiles struct{ CA, Cert, Key string }

// WithTLS has members speak TLS at their places' addresses, and want a
// certificate of each client there. It does not change the sockets that tests use.
func WithTLS(files TLSFiles) Option {
	return func(c *config) {
		c.TLS = files
		c.Client = strings.Replace(c.Client, "http:", "https:", 1)
	}
}

// Package config is the configuration of one locksided.
//
// Every setting has one name. It is a flag (--min-ttl), a key of the YAML file
// (min-ttl) and a variable of the environment (LOCKSIDED_MIN_TTL); a flag beats
// the environment, and the environment beats the file. The list in options.go
// is the only place that knows a setting's name, form and help.
package config

import (
	"io/fs"
	"log/slog"
	"time"

	"lockside/leases/core"
)

// Config is what a locksided runs with. [Load] makes one that is complete and
// consistent.
type Config struct {
	// Socket is the path that clients connect to.
	Socket string
	// SocketMode is the socket's permission bits.
	SocketMode fs.FileMode
	// SocketGroup owns the socket, by name or number. Empty leaves the
	// daemon's own group.
	SocketGroup string

	// Endpoints are the etcd members, as clientv3 takes them.
	Endpoints []string
	// CACert, Cert and Key are PEM files of the connection to etcd.
	CACert, Cert, Key string
	// InsecureSkipVerify accepts any server certificate.
	InsecureSkipVerify bool
	// User and Password log in to etcd. Load has taken the password out of
	// User and PasswordFile. No user means no login.
	User, Password, PasswordFile string
	// AllowOldServers accepts etcd versions that are known to lose leases.
	AllowOldServers bool

	// Embedded runs one etcd member inside the daemon, in place of Endpoints.
	Embedded bool
	// EmbeddedListen is a loopback HOST:PORT or unix:PATH. Empty is a socket
	// in the state directory.
	EmbeddedListen string

	// Prefix begins every key in etcd. It ends in a slash.
	Prefix string
	// Host is the name that entries carry for this host.
	Host string
	// StateDir keeps what must outlive the daemon.
	StateDir string

	// TTL is the one of a session that asks for none; MinTTL and MaxTTL bound
	// what a session may ask for. All are whole seconds.
	TTL, MinTTL, MaxTTL time.Duration
	// Margin is how long before a deadline sessions are closed. Zero leaves
	// it to the TTL: ask [Config.MarginOf].
	Margin time.Duration

	// Limits bounds what clients can take.
	Limits Limits

	// LogLevel is the lowest level that is logged.
	LogLevel slog.Level
	// LogFormat is "text" or "json".
	LogFormat string
}

// Limits bounds what clients can take from the daemon, so that none of them
// starves another. Each is at least one.
type Limits struct {
	// Sessions bounds all sessions together, SessionsPerUser those of one uid.
	Sessions, SessionsPerUser int
	// LocksPerSession bounds the names one session holds or waits for.
	LocksPerSession int
	// Waiters bounds the waiting requests of this host, WaitersPerName those
	// for one name.
	Waiters, WaitersPerName int
}

// MarginOf is the margin for a lease of the given TTL: the one configured, or
// [core.DefaultMargin].
func (c Config) MarginOf(ttl time.Duration) time.Duration {
	if c.Margin > 0 {
		return c.Margin
	}
	return core.DefaultMargin(ttl)
}

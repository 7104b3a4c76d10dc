package etcd

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"lockside/leases/boottime"
)

// defaultCallTimeout outlasts a leader election at etcd's default settings (one
// to two seconds), so that a write caught in one is answered rather than left
// unknown, and still leaves a lease of 15 s time for several endpoints.
const defaultCallTimeout = 3 * time.Second

// Config says which cluster to talk to, and how.
type Config struct {
	// Endpoints are the client URLs of the members: http, https, unix or unixs,
	// or host:port, which is https when TLS is set. A member of another cluster
	// among them is a regression.
	Endpoints []string

	// TLS is used for https and unixs, and for endpoints without a scheme.
	TLS *tls.Config

	// Username and Password log in where etcd has authentication enabled.
	Username, Password string

	// AllowOldServers uses servers with defects that break locks (version.go).
	AllowOldServers bool

	// Logger receives changes of the endpoints' state; nil discards them.
	Logger *slog.Logger

	// Clock dates renewals and grants; nil is the system's boot clock.
	Clock boottime.Clock

	// CallTimeout bounds one try of a unary call at one endpoint; zero is 3 s.
	CallTimeout time.Duration

	// Remembered is what Seen was last told before a restart; zero if nothing.
	Remembered Memory

	// Seen is told of the cluster and its highest revision each time that rises,
	// in order, and before the reply that showed it is handed out. It must be
	// quick and must not call the Client. May be nil.
	Seen func(clusterID uint64, revision int64)

	// WentBack is told of a regression, once, before the reply that showed it is
	// refused. It must be quick and must not call the Client. May be nil.
	WentBack func(why error)
}

// Memory is how far a cluster is known to have come, and whether it went back
// since.
type Memory struct {
	ClusterID uint64
	Revision  int64
	Regressed bool
}

// withDefaults checks a configuration and fills in what was left out.
func (cfg Config) withDefaults() (Config, error) {
	if len(cfg.Endpoints) == 0 {
		return cfg, errors.New("no etcd endpoint given")
	}
	if (cfg.Username == "") != (cfg.Password == "") {
		return cfg, errors.New("etcd user name and password must be given together")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Clock == nil {
		cfg.Clock = boottime.System{}
	}
	if cfg.CallTimeout <= 0 {
		cfg.CallTimeout = defaultCallTimeout
	}
	return cfg, nil
}

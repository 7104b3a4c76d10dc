package etcdtest

import (
	"net/url"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

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

// config describes a member. It is handed to members in processes of their own.
type config struct {
	Name     string
	Dir      string // holds the sockets and the data
	Data     string // below Dir
	Peer     string // peer URL
	Client   string // client URL beside the socket, if any
	Cluster  string // name=peer URL of each member
	Token    string
	Fsync    bool
	Quota    int64
	TokenTTL uint
}

// endpoint is the client URL.
func (c config) endpoint() string { return "unix://" + filepath.Join(c.Dir, c.Name) }

// clients are all client URLs.
func (c config) clients() ([]url.URL, error) {
	var all []url.URL
	for _, text := range []string{c.endpoint(), c.Client} {
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, *u)
	}
	return all, nil
}

// embed is the same as etcd reads it.
func (c config) embed() (*embed.Config, error) {
	clients, err := c.clients()
	if err != nil {
		return nil, err
	}
	peer, err := url.Parse(c.Peer)
	if err != nil {
		return nil, err
	}
	cfg := embed.NewConfig()
	cfg.Name = c.Name
	cfg.Dir = filepath.Join(c.Dir, c.Data)
	cfg.InitialCluster = c.Cluster
	cfg.InitialClusterToken = c.Token
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = clients, clients
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.UnsafeNoFsync = !c.Fsync
	cfg.QuotaBackendBytes = c.Quota
	cfg.BcryptCost = 4 // the least there is: logins are not what is tested
	if c.TokenTTL > 0 {
		cfg.AuthTokenTTL = c.TokenTTL
	}
	cfg.EnableGRPCGateway = false
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	return cfg, nil
}

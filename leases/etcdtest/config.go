package etcdtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// config describes a member. It is handed to members in processes of their own.
type config struct {
	Name     string
	Dir      string // holds the sockets and the data
	Data     string // below Dir, or anywhere
	Peer     string // peer URL
	Client   string // client URL beside the socket, if any
	Cluster  string // name=peer URL of each member
	Token    string
	Fsync    bool
	Quota    int64
	TokenTTL uint
	Auth     string // kind of tokens, as --auth-token
	TLS      TLSFiles
	Program  string // of another release, or empty
}

// endpoint is the client URL.
func (c config) endpoint() string { return "unix://" + filepath.Join(c.Dir, c.Name) }

func (c config) data() string {
	if filepath.IsAbs(c.Data) {
		return c.Data
	}
	return filepath.Join(c.Dir, c.Data)
}

// settings are the configuration file of etcd, of every release.
func (c config) settings() map[string]any {
	clients := c.endpoint()
	if c.Client != "" {
		clients += "," + c.Client
	}
	all := map[string]any{
		"name":                        c.Name,
		"data-dir":                    c.data(),
		"initial-cluster":             c.Cluster,
		"initial-cluster-token":       c.Token,
		"listen-client-urls":          clients,
		"advertise-client-urls":       "unix://" + c.Name + ":0", // nobody asks, but it must have that form
		"listen-peer-urls":            c.Peer,
		"initial-advertise-peer-urls": c.Peer,
		"unsafe-no-fsync":             !c.Fsync,
		"quota-backend-bytes":         c.Quota,
		"bcrypt-cost":                 4, // the least there is: logins are not what is tested
		"enable-grpc-gateway":         false,
		"log-outputs":                 []string{os.DevNull},
	}
	if c.TokenTTL > 0 {
		all["auth-token-ttl"] = c.TokenTTL
	}
	if c.Auth != "" {
		all["auth-token"] = c.Auth
	}
	if c.TLS != (TLSFiles{}) {
		all["client-transport-security"] = map[string]any{
			"cert-file": c.TLS.Cert, "key-file": c.TLS.Key,
			"trusted-ca-file": c.TLS.CA, "client-cert-auth": true,
		}
	}
	return all
}

// write writes the configuration file.
func (c config) write() (file string, err error) {
	text, err := json.Marshal(c.settings()) // which is YAML as well
	if err != nil {
		return "", err
	}
	file = filepath.Join(c.Dir, c.Name+".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", fmt.Errorf("write configuration: %w", err)
	}
	return file, nil
}

// embed is the configuration as this module's etcd reads it.
func (c config) embed() (*embed.Config, error) {
	file, err := c.write()
	if err != nil {
		return nil, err
	}
	cfg, err := embed.ConfigFromFile(file)
	if err != nil {
		return nil, err
	}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	return cfg, nil
}

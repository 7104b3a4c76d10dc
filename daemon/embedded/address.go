package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// maxPath is what sockaddr_un holds besides its final NUL, unix(7).
const maxPath = 107

// address is where the member listens: a socket's path, or else HOST:PORT.
type address struct {
	path     string
	hostPort string
}

// parseListen takes an address that no other host can reach. The member asks
// nobody who they are, so that whoever can connect can take every lock.
func parseListen(listen, dir string) (address, error) {
	if listen == "" {
		listen = "unix:" + filepath.Join(dir, "client.sock")
	}
	if path, isUnix := strings.CutPrefix(listen, "unix:"); isUnix {
		return parsePath(strings.TrimPrefix(path, "//"))
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return address{}, fmt.Errorf("listen on %q: want HOST:PORT or unix:PATH", listen)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return address{}, fmt.Errorf("listen on %s: the embedded etcd serves this host only; use 127.0.0.1 or unix:PATH, or run an etcd of your own", listen)
	}
	return address{hostPort: listen}, nil
}

func parsePath(path string) (address, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return address{}, err
	}
	if len(path) > maxPath {
		return address{}, fmt.Errorf("listen on %s: the path has %d bytes, and a socket's may have %d; choose a shorter one, or 127.0.0.1:0", path, len(path), maxPath)
	}
	return address{path: path}, nil
}

// url is the address as etcd's configuration takes it.
func (a address) url() url.URL {
	if a.path != "" {
		return url.URL{Scheme: "unix", Path: a.path}
	}
	return url.URL{Scheme: "http", Host: a.hostPort}
}

// endpoint is the address as etcd's clients take it, once it is known which
// port the member got.
func (a address) endpoint(bound net.Addr) string {
	if a.path != "" {
		return "unix://" + a.path
	}
	return "http://" + bound.String()
}

// prepare keeps etcd from removing what is not its own: it removes whatever is
// at the path before it listens there.
func (a address) prepare() error {
	if a.path == "" {
		return nil
	}
	info, err := os.Lstat(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listen on %s: there is a file that is no socket; move it away, or choose another path", a.path)
	}
	if conn, err := net.Dial("unix", a.path); err == nil {
		return errors.Join(fmt.Errorf("listen on %s: another program serves it; choose another path", a.path), conn.Close())
	}
	return nil
}

// protect leaves the socket to this user. In the data directory nobody else can
// reach it anyhow; elsewhere an ordinary umask has kept others from writing, and
// so from connecting, since it was made.
func (a address) protect() error {
	if a.path == "" {
		return nil
	}
	return os.Chmod(a.path, 0o600)
}

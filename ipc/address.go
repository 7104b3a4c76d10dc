package ipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// DefaultSocket is where the daemon listens unless told otherwise.
const DefaultSocket = "/run/lockside/lockside.sock"

// SocketVariable names the environment variable that holds another path.
const SocketVariable = "LOCKSIDE_SOCKET"

// maxSocketPath is what sockaddr_un holds beside the NUL at its end; see
// unix(7).
const maxSocketPath = 107

// SocketPath is the path that [Dial] uses for "": what the environment says,
// else where a daemon of this ordinary user listens, if one does, else
// [DefaultSocket].
func SocketPath() string {
	if path := os.Getenv(SocketVariable); path != "" {
		return path
	}
	if os.Geteuid() != 0 {
		for _, dir := range ownDirectories() {
			path := filepath.Join(dir, "lockside", "lockside.sock")
			if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
				return path
			}
		}
	}
	return DefaultSocket
}

// ownDirectories are those in which a daemon that an ordinary user starts
// without flags puts its socket, of the XDG Base Directory Specification.
func ownDirectories() []string {
	dirs := []string{os.Getenv("XDG_RUNTIME_DIR"), os.Getenv("XDG_STATE_HOME")}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "state"))
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// CheckSocketPath refuses a path that no Unix socket can have. The kernel's own
// answer would be "invalid argument".
func CheckSocketPath(path string) error {
	if len(path) > maxSocketPath {
		return fmt.Errorf("socket path of %d bytes: a Unix socket's has at most %d: %s", len(path), maxSocketPath, path)
	}
	return nil
}

// connect opens a connection to the daemon and says what may be wrong if there
// is none.
func connect(ctx context.Context, path string) (net.Conn, error) {
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return socket, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("connect to the daemon: %w", context.Cause(ctx))
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("connect to the daemon: %w: is locksided running?", err)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("connect to the daemon: %w: is this user in the socket's group?", err)
	}
	return nil, fmt.Errorf("connect to the daemon: %w", err)
}

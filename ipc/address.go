package ipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
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
// else [DefaultSocket].
func SocketPath() string {
	if path := os.Getenv(SocketVariable); path != "" {
		return path
	}
	return DefaultSocket
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

package servers

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// host is the only address that a server listens on.
const host = "127.0.0.1"

// subdir makes a directory that only its owner uses, below one that others may
// pass through: Postgres runs as another user than root.
func subdir(parent, name string) (string, error) {
	dir := filepath.Join(parent, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a directory for a server: %w", err)
	}
	return dir, nil
}

// freePorts finds ports that nobody listens on. Another program could take one
// before the server does; then the server says so and the run ends.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close() // together, so that all are different
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// address is where a server listens.
func address(port int) string { return fmt.Sprintf("%s:%d", host, port) }

package registertest

import (
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
)

// StartRedis starts a Redis of Debian's redis-server, which asks for a password. The
// error is [ErrMissing] where that or redis-cli is not installed.
func StartRedis(dir string) (*Server, error) {
	if _, err := find("redis-cli"); err != nil {
		return nil, err
	}
	path, err := find("redis-server")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	cmd := exec.Command(path, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", filepath.Clean(dir),
		"--save", "", "--requirepass", "se'cret")
	return startServer(cmd, "redis://default:se%27cret@"+address, func() error {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			err = conn.Close()
		}
		return err
	})
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

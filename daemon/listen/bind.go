package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"
)

// backlog is more than the kernel grants; it takes the lesser of this and
// net.core.somaxconn.
const backlog = 1 << 15

// bind makes the socket with its mode and group before anyone can connect.
//
// The order is what closes the window: connect(2) is refused by a socket that
// is bound but does not listen, and by then both are set. Package net listens
// right after it binds, and umask(2) belongs to the whole process, so neither
// can do this. The kernel looks at the permissions in each connect, so that
// having opened the path early gains nothing.
func bind(path string, mode fs.FileMode, gid int) (*net.UnixListener, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return nil, os.NewSyscallError("bind", err)
	}
	if err := admit(fd, path, mode, gid); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return listener.(*net.UnixListener), nil
}

// admit lets clients in: the bound socket gets its group and mode, and then
// listens.
func admit(fd int, path string, mode fs.FileMode, gid int) error {
	if err := os.Chown(path, -1, gid); err != nil {
		return fmt.Errorf("give socket to its group: %w", err)
	}
	if err := os.Chmod(path, mode.Perm()); err != nil {
		return fmt.Errorf("set permissions of socket: %w", err)
	}
	return os.NewSyscallError("listen", unix.Listen(fd, backlog))
}

// lookupGroup is the number of a group given by name or number, and -1, which
// chown(2) takes for no change, for an empty one.
func lookupGroup(group string) (int, error) {
	if group == "" {
		return -1, nil
	}
	if gid, err := strconv.ParseUint(group, 10, 32); err == nil {
		return int(gid), nil
	}
	g, err := user.LookupGroup(group)
	if err != nil {
		return 0, fmt.Errorf("look up group of socket: %w; make it, or give another", err)
	}
	return strconv.Atoi(g.Gid)
}

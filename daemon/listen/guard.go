package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock beside a socket, until the file is closed or the
// process ends. Its text is the holder's pid, for the other's message. Only
// its owner may open it, so that no other user can keep a daemon from starting.
func lockFile(socket string) (*os.File, error) {
	path := socket + ".lock"
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("%w: locksided (pid %s) serves %s; stop it, or choose another socket", ErrInUse, readPID(file), socket)
	} else if err != nil {
		err = fmt.Errorf("lock %s: %w", path, err)
	} else {
		err = writePID(file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// readPID is the text of a lock file, or a word where there is none yet.
func readPID(file *os.File) string {
	var text [20]byte
	if n, _ := file.ReadAt(text[:], 0); n > 0 {
		return string(text[:n])
	}
	return "unknown"
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	if _, err := file.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// removeStale clears the path of a socket that nobody serves. Only a refused
// connection proves that: one that is full, or not ours to connect to, is
// somebody's. The lock file keeps other daemons away meanwhile.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listen on %s: there is a file that is no socket; move it away, or choose another path", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		defer conn.Close()
		return fmt.Errorf("%w: another program (pid %s) serves %s; stop it, or choose another socket", ErrInUse, servedBy(conn), path)
	case errors.Is(err, unix.ECONNREFUSED):
		return os.Remove(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("%w: cannot tell whether %s is served: %w; remove it, or choose another socket", ErrInUse, path, err)
}

// servedBy is the pid of the process that listens at the other end.
func servedBy(conn net.Conn) string {
	pid := "unknown"
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return pid
	}
	_ = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = strconv.Itoa(int(cred.Pid))
		}
	})
	return pid
}

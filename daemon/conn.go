package daemon

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// conn is a client's connection. Whatever ends a session cuts it: closing
// alone would leave a client without end-of-file if anybody had a duplicate of
// the descriptor.
type conn struct {
	*net.UnixConn
	raw syscall.RawConn
}

func newConn(c *net.UnixConn) (*conn, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("reach descriptor: %w", err)
	}
	return &conn{c, raw}, nil
}

// cut writes a last line, if the socket takes it without waiting, and shuts
// both directions down. It never waits, may be called at any time and from any
// goroutine, and only the first call has an effect. A reply that is being
// written has gone out whole before the line, or the socket is full and takes
// no line either.
func (c *conn) cut(last []byte) {
	_ = c.raw.Control(func(fd uintptr) { // fails once the connection is closed, which is no less of an end
		if len(last) > 0 {
			_, _ = unix.SendmsgN(int(fd), last, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) // end-of-file alone is enough
		}
		_ = unix.Shutdown(int(fd), unix.SHUT_RDWR)
	})
}

// Close cuts before it closes.
func (c *conn) Close() error {
	c.cut(nil)
	return c.UnixConn.Close()
}

// hungUp reports whether the peer has closed the connection for good, and not
// only its writing side (poll(2): POLLHUP).
func (c *conn) hungUp() bool {
	hup := true
	_ = c.raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		_, err := unix.Poll(fds, 0)
		hup = err == nil && fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return hup
}

// uid is the peer's user, as the kernel knew it at connect (unix(7)).
func (c *conn) uid() (uid uint32, err error) {
	var cred *unix.Ucred
	if failed := c.raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); failed != nil {
		err = failed
	}
	if err != nil {
		return 0, fmt.Errorf("ask for peer: %w", err)
	}
	return cred.Uid, nil
}

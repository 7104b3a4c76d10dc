package daemon

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// conn is a client's connection. Whatever ends a session cuts it: closing
// alone would leave a client without end-of-file if anybody had a duplicate of
// the descriptor.
type conn struct {
	*net.UnixConn
	raw syscall.RawConn

	mu    sync.Mutex // held for single calls that do not wait; guards what follows
	ended bool       // it is cut
	torn  bool       // a reply is written in part
}

func newConn(c *net.UnixConn) (*conn, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("reach descriptor: %w", err)
	}
	return &conn{UnixConn: c, raw: raw}, nil
}

// Write writes replies, and waits while the socket is full. It returns
// net.ErrClosed once the connection is cut, or the error of the socket.
func (c *conn) Write(p []byte) (n int, err error) {
	closed := c.raw.Write(func(fd uintptr) bool {
		var done int
		done, err = c.writeSome(int(fd), p[n:])
		n += done
		return n == len(p) || err != nil && !errors.Is(err, unix.EAGAIN)
	})
	if closed != nil {
		return n, closed
	}
	return n, err
}

// writeSome writes what the socket takes without waiting.
func (c *conn) writeSome(fd int, p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return 0, net.ErrClosed
	}
	n, err := unix.SendmsgN(fd, p, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	if n > 0 {
		c.torn = n < len(p)
	}
	return max(n, 0), err
}

// cut writes a last line, if the socket takes it without waiting, and shuts
// both directions down. It never waits, may be called at any time and from any
// goroutine, and only the first call has an effect. No reply follows the line,
// nor is one torn by it.
func (c *conn) cut(last []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended = true
	_ = c.raw.Control(func(fd uintptr) { // fails once the connection is closed, which is no less of an end
		if len(last) > 0 && !c.torn {
			_, _ = unix.SendmsgN(int(fd), last, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) // end-of-file alone is enough
		}
		_ = unix.Shutdown(int(fd), unix.SHUT_RDWR)
	})
}

// Close cuts before it closes, and reads what is left: a socket that is closed
// with bytes unread resets the connection, and the client would read
// ECONNRESET in place of end-of-file.
func (c *conn) Close() error {
	c.cut(nil)
	_ = c.raw.Control(func(fd uintptr) {
		var rest [4096]byte // nothing is added any more, so there is an end
		for n, err := 1, error(nil); n > 0 && err == nil; {
			n, _, err = unix.Recvfrom(int(fd), rest[:], unix.MSG_DONTWAIT)
		}
	})
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

// interrupt ends a read and a write that wait, and those to come, without an end of
// the connection; goOn lets them wait again.
func (c *conn) interrupt() { _ = c.SetDeadline(time.Unix(1, 0)) }
func (c *conn) goOn()      { _ = c.SetDeadline(time.Time{}) }

// descriptor is the connection's number in this process, for as long as it is open.
func (c *conn) descriptor() (number int) {
	number = -1
	_ = c.raw.Control(func(fd uintptr) { number = int(fd) })
	return number
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

package listen

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

const (
	minPause = 5 * time.Millisecond
	maxPause = time.Second
)

// Accept waits for the next client. Where the host is out of descriptors or
// memory it pauses, longer each time, and tries again: the client stays in the
// backlog, and the loop neither spins nor ends.
//
// The error is the cause of ctx once that is done, and clients then wait for another
// Accept; or [net.ErrClosed] after Close. It is for one goroutine.
func (l *Listener) Accept(ctx context.Context) (*net.UnixConn, error) {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = l.socket.SetDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() {
			<-interrupted
			_ = l.socket.SetDeadline(time.Time{})
		}
	}()
	for pause := time.Duration(0); ; {
		conn, err := l.socket.AcceptUnix()
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !passing(err) {
			return nil, err
		}
		if pause == 0 {
			l.log.Warn("cannot accept clients", "err", err)
		}
		pause = min(max(2*pause, minPause), maxPause)
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// passing reports whether accept(2) may succeed later.
func passing(err error) bool {
	for _, errno := range []unix.Errno{
		unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.ECONNABORTED, unix.EINTR, unix.EPERM,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// sleep waits for d, or returns the cause of ctx once that is done.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

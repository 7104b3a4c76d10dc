package crowd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"lockside/ipc"
)

// byLines is the manner of who writes the protocol's lines and reads the
// replies, one after the other.
type byLines struct {
	socket string
	clock  func() time.Duration // CLOCK_BOOTTIME
	conn   net.Conn             // nil while there is none
	in     *bufio.Reader
}

func (l *byLines) connect(ctx context.Context) error {
	if l.conn != nil {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", l.socket)
	if err == nil {
		l.conn, l.in = conn, bufio.NewReaderSize(conn, ipc.MaxLine)
	}
	return err
}

func (l *byLines) hangUp() {
	if l.conn != nil {
		_ = l.conn.Close() // the daemon may have closed it before
		l.conn = nil
	}
}

// send writes a request. That it could not be read is found by who reads the
// reply: a reason may wait there.
func (l *byLines) send(r ipc.Request) { _, _ = l.conn.Write(r.Append(nil)) }

// reply reads the end of a reply. It waits for the time, for ever if that is 0.
func (l *byLines) reply(within time.Duration) (ipc.Fields, error) {
	var until time.Time
	if within > 0 {
		until = time.Now().Add(within)
	}
	if err := l.conn.SetReadDeadline(until); err != nil {
		return nil, err
	}
	for {
		line, err := ipc.ReadLine(l.in)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, err
		}
		if err != nil {
			return nil, &ipc.LostError{Reason: ipc.ReasonEOF}
		}
		reply, err := ipc.ParseReply(line)
		switch {
		case err != nil:
			return nil, &ipc.LostError{Reason: ipc.ReasonGarbled}
		case reply.Kind == ipc.KindEvent && reply.Event == ipc.EventLost:
			return nil, &ipc.LostError{Reason: ipc.Reason(reply.Fields.Get("reason"))}
		case reply.Kind == ipc.KindOK || reply.Kind == ipc.KindErr:
			return reply.Fields, reply.Err()
		}
	}
}

func (l *byLines) lock(p plan) (held, error) {
	l.send(ipc.Request{Verb: ipc.VerbLock, Names: p.names, Wait: p.wait, TTL: p.ttl})
	fields, err := l.reply(p.patience)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if p.rude {
			return nil, errHangUp
		}
		fields, err = l.cancel()
	}
	if err != nil {
		return nil, err
	}
	h := &lineLock{lines: l, names: p.names, granted: fields, until: fields.Duration("until")}
	if h.until == 0 {
		return nil, fmt.Errorf("a grant without until=: %v", fields)
	}
	h.plan()
	if !h.safe() {
		return nil, &ipc.LostError{Reason: ipc.ReasonClientDeadline}
	}
	return h, nil
}

// cancel ends the wait. The lock may have been granted before.
func (l *byLines) cancel() (ipc.Fields, error) {
	l.send(ipc.Request{Verb: ipc.VerbCancel})
	granted, err := l.reply(0)
	if errors.Is(err, ipc.ErrLost) {
		return nil, err
	}
	if _, end := l.reply(0); errors.Is(end, ipc.ErrLost) {
		return nil, end
	}
	if errors.Is(err, ipc.ErrCancelled) {
		return nil, errGaveUp
	}
	return granted, err
}

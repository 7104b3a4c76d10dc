package systems

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"lockside/ipc"
)

// Lines is the name of lockside without its Go client.
const Lines = "lockside, by hand"

func linesKind() Kind {
	return Kind{
		Name:   Lines,
		About:  "The same daemon, but workers write the protocol's lines to the socket themselves, as a program in any language would, and parse the reply's fence.",
		Fenced: true, Quiet: true, Servers: replicated, lacks: built,
		Version: locksideVersion,
		Start: func(ctx context.Context, s Settings, members int) (System, error) {
			return startLockside(ctx, s, members, openLines)
		},
	}
}

// lineLocker is a bare connection to the daemon's socket.
type lineLocker struct {
	conn net.Conn
	in   *bufio.Reader
	name string
}

func openLines(ctx context.Context, socket string) (Locker, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	return &lineLocker{conn: conn, in: bufio.NewReaderSize(conn, ipc.MaxLine)}, nil
}

func (l *lineLocker) Acquire(ctx context.Context, name string) (int64, error) {
	stop := context.AfterFunc(ctx, func() {
		_ = l.conn.SetReadDeadline(time.Unix(1, 0)) // fails if it is closed, which ends the wait as well
	})
	reply, err := l.do("LOCK " + name + "\n")
	if !stop() && err == nil {
		err = errLate
	}
	if err != nil {
		return 0, err
	}
	l.name = name
	return reply.Int("fence"), nil
}

func (l *lineLocker) Release(ctx context.Context) error {
	until, _ := ctx.Deadline() // the zero time is none for both
	if err := l.conn.SetReadDeadline(until); err != nil {
		return err
	}
	_, err := l.do("UNLOCK " + l.name + "\n")
	return errors.Join(err, l.conn.SetReadDeadline(time.Time{}))
}

// do sends a request that is answered by one line.
func (l *lineLocker) do(request string) (ipc.Fields, error) {
	if _, err := l.conn.Write([]byte(request)); err != nil {
		return nil, err
	}
	line, err := ipc.ReadLine(l.in)
	if err != nil {
		return nil, err
	}
	reply, err := ipc.ParseReply(line)
	if err == nil {
		err = reply.Err()
	}
	if err == nil && reply.Kind != ipc.KindOK {
		err = fmt.Errorf("the daemon says %q", line)
	}
	return reply.Fields, err
}

func (l *lineLocker) Close() error { return l.conn.Close() }

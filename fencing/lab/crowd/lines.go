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

// lineLock is a lock whose deadline is kept as PROTOCOL.md has it.
type lineLock struct {
	lines   *byLines
	names   []string
	granted ipc.Fields
	until   time.Duration
	next    time.Duration // when to ask for a later deadline
}

func (h *lineLock) fence() int64 { return h.granted.Int("fence") }
func (h *lineLock) lease() int64 { return h.granted.Hex("lease") }
func (h *lineLock) safe() bool   { return h.lines.clock() < h.until }

// plan asks again after a third of the time that is left.
func (h *lineLock) plan() {
	now := h.lines.clock()
	h.next = now + (h.until-now)/3
}

// keep reads whatever comes while nothing was asked: only a loss can. It looks
// up now and then, for ctx may have ended.
func (h *lineLock) keep(ctx context.Context, d time.Duration) error {
	for end := h.lines.clock() + d; ; {
		now := h.lines.clock()
		switch {
		case now >= h.until:
			return &ipc.LostError{Reason: ipc.ReasonClientDeadline}
		case now >= end || ctx.Err() != nil:
			return nil
		case now >= h.next:
			if err := h.check(); err != nil {
				return err
			}
			continue
		}
		_, err := h.lines.reply(max(time.Millisecond, min(end-now, h.next-now, wakePeriod)))
		switch {
		case err == nil:
			return &ipc.LostError{Reason: ipc.ReasonGarbled}
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return asLoss(err)
		}
	}
}

// check asks for a later deadline, and waits no longer than until the last one.
func (h *lineLock) check() error {
	h.lines.send(ipc.Request{Verb: ipc.VerbCheck, Names: h.names[:1]})
	fields, err := h.lines.reply(max(time.Millisecond, h.until-h.lines.clock()))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &ipc.LostError{Reason: ipc.ReasonClientDeadline}
	}
	if err != nil {
		return asLoss(err)
	}
	if !h.safe() {
		return &ipc.LostError{Reason: ipc.ReasonClientDeadline}
	}
	h.until = max(h.until, fields.Duration("until"))
	h.plan()
	return nil
}

func (h *lineLock) unlock() error {
	h.lines.send(ipc.Request{Verb: ipc.VerbUnlock, Names: h.names, Fence: h.fence()})
	_, err := h.lines.reply(0)
	return asLoss(err)
}

// asLoss is what an answer other than OK means for who holds.
func asLoss(err error) error {
	if refused, ok := errors.AsType[*ipc.Error](err); ok {
		return &ipc.LostError{Reason: ipc.Reason(refused.Code)}
	}
	return err
}

package crowd

import (
	"context"
	"errors"
	"os"
	"time"

	"lockside/ipc"
)

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

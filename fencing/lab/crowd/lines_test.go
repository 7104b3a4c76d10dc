package crowd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockside/ipc"
	"lockside/leases/boottime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var clock = boottime.System{}.Now

// grant is a reply to LOCK that is safe for a while.
func grant(d time.Duration) string {
	return fmt.Sprintf("OK fence=7 lease=ab ttl=10s until=%.3fs", (clock() + d).Seconds())
}

// daemon answers each line of one client by a function, until the client hangs
// up or there is no answer.
func daemon(t *testing.T, answer func(line string) string) *byLines {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for in := bufio.NewScanner(conn); in.Scan(); {
			reply := answer(in.Text())
			if reply == "end" {
				return
			}
			_, _ = conn.Write([]byte(reply))
		}
	})
	l := &byLines{socket: path, clock: clock}
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.hangUp()
		_ = listener.Close()
		serving.Wait()
	})
	return l
}

// TestOwnDeadline: a daemon that answers nothing any more loses its clients when
// the moment that it told them has come, and not before.
func TestOwnDeadline(t *testing.T) {
	l := daemon(t, func(line string) string {
		if strings.HasPrefix(line, "LOCK") {
			return grant(300*time.Millisecond) + "\n"
		}
		return "" // a silence
	})
	h, err := l.lock(plan{names: []string{"x"}, wait: ipc.WaitForever})
	if err != nil || h.fence() != 7 || h.lease() != 0xab {
		t.Fatalf("granted %+v, %v", h, err)
	}
	until := h.(*lineLock).until
	err = h.keep(t.Context(), time.Minute)
	lost, ok := errors.AsType[*ipc.LostError](err)
	if late := clock() - until; !ok || lost.Reason != ipc.ReasonClientDeadline || late < 0 || late > 200*time.Millisecond {
		t.Errorf("%v after the deadline: %v", late, err)
	}
	if h.safe() {
		t.Error("it is safe after its deadline")
	}
}

// TestCheckMovesTheDeadline: who asks in time keeps the lock for longer than the
// first deadline.
func TestCheckMovesTheDeadline(t *testing.T) {
	var checks atomic.Int32
	l := daemon(t, func(line string) string {
		if strings.HasPrefix(line, "CHECK x") {
			checks.Add(1)
		}
		return grant(300*time.Millisecond) + "\n"
	})
	h, err := l.lock(plan{names: []string{"x", "y"}, wait: ipc.WaitForever})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.keep(t.Context(), time.Second); err != nil {
		t.Error(err)
	}
	if err := h.unlock(); err != nil {
		t.Error(err)
	}
	if checks.Load() < 5 {
		t.Errorf("%d CHECK", checks.Load())
	}
}

// TestAnswers has the daemon answer LOCK, and then CANCEL, in all ways.
func TestAnswers(t *testing.T) {
	tests := []struct {
		name         string
		lock, cancel string
		rude         bool
		want         error
	}{
		{name: "granted", lock: grant(time.Minute) + "\n"},
		{name: "several lines", lock: "+ name=x key=k\n" + grant(time.Minute) + "\n"},
		{name: "refused", lock: "ERR timeout late\n", want: ipc.ErrTimeout},
		{name: "lost", lock: "! LOST reason=deadline\n", want: &ipc.LostError{Reason: ipc.ReasonDeadline}},
		{name: "end-of-file", lock: "end", want: &ipc.LostError{Reason: ipc.ReasonEOF}},
		{name: "garbled", lock: "?\n", want: &ipc.LostError{Reason: ipc.ReasonGarbled}},
		{name: "too late", lock: grant(-time.Second) + "\n", want: &ipc.LostError{Reason: ipc.ReasonClientDeadline}},
		{name: "cancelled", cancel: "ERR cancelled x\nOK cancelled=1\n", want: errGaveUp},
		{name: "granted before", cancel: grant(time.Minute) + "\nOK cancelled=0\n"},
		{name: "lost meanwhile", cancel: "! LOST reason=deadline\n", want: &ipc.LostError{Reason: ipc.ReasonDeadline}},
		{name: "lost after the reply", cancel: "ERR cancelled x\n! LOST reason=deadline\n", want: &ipc.LostError{Reason: ipc.ReasonDeadline}},
		{name: "hung up", rude: true, want: errHangUp},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := daemon(t, func(line string) string {
				if line == "CANCEL" {
					return test.cancel
				}
				return test.lock
			})
			p := plan{names: []string{"x"}, wait: ipc.WaitForever, rude: test.rude}
			if test.lock == "" {
				p.patience = 50 * time.Millisecond
			}
			_, err := l.lock(p)
			lost, isLost := errors.AsType[*ipc.LostError](err)
			if want, ok := test.want.(*ipc.LostError); ok {
				if !isLost || *lost != *want {
					t.Errorf("%v, want %v", err, want)
				}
			} else if !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

// TestEndOfTheRun: who holds gives back soon after ctx has ended.
func TestEndOfTheRun(t *testing.T) {
	l := daemon(t, func(string) string { return grant(time.Minute) + "\n" })
	h, err := l.lock(plan{names: []string{"x"}, wait: ipc.WaitForever})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := h.keep(ctx, time.Minute); err != nil || time.Since(begin) > 10*time.Second {
		t.Errorf("it ended after %v: %v", time.Since(begin), err)
	}
}

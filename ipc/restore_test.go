package ipc_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

// TestAcceptRestoreReturnsOnceTheDaemonServesAnew: after OK the daemon still has to
// end what there is, and whoever connects before it has would be ended too.
func TestAcceptRestoreReturnsOnceTheDaemonServesAnew(t *testing.T) {
	sessions := make(chan *session, 1)
	s := serve(t, func(s *session, line string) bool {
		if !strings.HasPrefix(line, "ACCEPT-RESTORE") {
			return false
		}
		s.send("OK accepted=1 cluster=cdf8 revision=8124 remembered=8123")
		sessions <- s
		return true
	})
	c := s.dial()
	accepted := make(chan error, 1)
	go func() {
		got, err := c.AcceptRestore(t.Context(), true, 0)
		if err == nil && *got != (ipc.Restore{Revision: 8124, Remembered: 8123}) {
			err = errors.New("it reports something else than the daemon")
		}
		accepted <- err
	}()
	s.want("ACCEPT-RESTORE raise")
	asked := receive(t, sessions)
	select {
	case err := <-accepted:
		t.Errorf("AcceptRestore returned before the session ended: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	asked.socket.Close()
	if err := receive(t, accepted); err != nil {
		t.Error(err)
	}
}

func TestAcceptRestoreWithoutOne(t *testing.T) {
	replies := map[string]string{
		"ACCEPT-RESTORE":                 "OK accepted=0",
		"ACCEPT-RESTORE lower-fences=12": "ERR regressed its revision 7 is 5 behind 12",
	}
	s := serve(t, func(s *session, line string) bool {
		reply, ok := replies[line]
		if ok {
			s.send(reply)
		}
		return ok
	})
	c := s.dial()
	if got, err := c.AcceptRestore(t.Context(), false, 0); got != nil || err != nil {
		t.Errorf("with nothing to accept: %+v, %v", got, err)
	}
	if got, err := c.AcceptRestore(t.Context(), false, 12); got != nil || !errors.Is(err, ipc.ErrRegressed) {
		t.Errorf("refused: %+v, %v", got, err)
	}
}

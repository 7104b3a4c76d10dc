package ipc_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"lockside/ipc"
)

func TestEntriesCrossTheSocketUnchanged(t *testing.T) {
	want := []ipc.Entry{
		{Role: ipc.RoleHolder, Fence: 8123, Host: "web-3", PID: 4242, UID: 0, User: "root", Comm: "my job", Unit: "a.service", Owner: "50% = half", Since: time.Date(2026, 12, 2, 3, 4, 5, 678e6, time.UTC)},
		{Name: "x y", Role: ipc.RoleWaiter, Fence: 8124, UID: -1},
	}
	s := serve(t, func(s *session, line string) bool {
		if strings.HasPrefix(line, "HELLO") {
			return false
		}
		var reply []byte
		for i := range want {
			reply = ipc.AppendEntry(reply, &want[i])
		}
		s.send(string(reply) + "OK count=2")
		return true
	})
	c := s.dial()
	if got, err := c.Who(t.Context(), "a b"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Who: %+v, %v", got, err)
	}
	s.want("WHO a%20b")
	if got, err := c.List(t.Context(), "app-*", ipc.ScopeCluster); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("List: %+v, %v", got, err)
	}
	s.want("LIST scope=cluster app-*")
}

func TestStatus(t *testing.T) {
	s := serve(t, func(s *session, line string) bool {
		if line != "STATUS" {
			return false
		}
		s.send("+ about=daemon version=1.0", "+ about=store store=embedded", "OK")
		return true
	})
	got, err := s.dial().Status(t.Context())
	if err != nil || len(got) != 2 || got[1].Get("store") != "embedded" {
		t.Errorf("Status: %v, %v", got, err)
	}
}

func TestAskThatIsNotAnsweredClosesItsConnection(t *testing.T) {
	s := serve(t, func(_ *session, line string) bool { return line == "STATUS" })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.dial().Status(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's end", err)
	}
	receive(t, s.ended)
}

func TestDoSendsTheLineAsItStands(t *testing.T) {
	s := serve(t, nil)
	c := s.dial()
	replies, err := c.Do(t.Context(), "lock  a%20b b")
	if err != nil || len(replies) != 3 || replies[2].Fields.Int("fence") != 8001 {
		t.Errorf("Do: %+v, %v", replies, err)
	}
	s.want("lock  a%20b b")
	receive(t, s.ended) // the session ends, and the lock with it
	replies, err = c.Do(t.Context(), "FROB")
	if !errors.Is(err, ipc.ErrBadRequest) || len(replies) != 1 || replies[0].Code != ipc.CodeBadRequest {
		t.Errorf("Do: %+v, %v", replies, err)
	}
	if _, err := c.Do(t.Context(), "PING\nPING"); !errors.Is(err, ipc.ErrBadRequest) {
		t.Errorf("two lines: %v", err)
	}
}

package core

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestNamesAskedForTwice: two entries of one name would share a fence (I1).
func TestNamesAskedForTwice(t *testing.T) {
	b := newBench(t)
	b.ask(1, Forever, "x", "y", "x")
	if r := take[Refused](b); !errors.Is(r.Err, ErrHeld) {
		t.Errorf("%+v", r)
	}
}

// TestTTLsAreBounded: nobody can have etcd renew a lease for every TTL there is.
func TestTTLsAreBounded(t *testing.T) {
	b := newBench(t)
	most := b.m.cfg.TTLs
	for i := range most + 1 {
		b.step(Open{SessionID(i + 1)})
		b.step(Lock{Session: SessionID(i + 1), Names: []string{fmt.Sprint("x", i)}, TTL: time.Duration(i+20) * time.Second, Wait: Forever})
	}
	if r := take[Refused](b); r.Session != SessionID(most+1) || !errors.Is(r.Err, ErrLimit) {
		t.Errorf("refused %+v", r)
	}
	none[Refused](b)
	b.step(Open{100})
	b.step(Lock{Session: 100, Names: []string{"y"}, TTL: 20 * time.Second, Wait: Forever})
	none[Refused](b)
}

func TestListHasTheHolderFirst(t *testing.T) {
	b := newBench(t)
	b.ask(1, Forever, "a")
	first := take[Commit](b).Batch
	b.hold(7, 10, "x")
	b.ask(2, Forever, "x")
	b.step(BatchApplied{first.ID, 9, [][]Key{nil}})
	var got []SessionID
	for _, h := range b.m.List(0, true) {
		got = append(got, h.Session)
	}
	if want := []SessionID{1, 7, 2}; !slices.Equal(got, want) {
		t.Errorf("sessions %v, want %v", got, want)
	}
}

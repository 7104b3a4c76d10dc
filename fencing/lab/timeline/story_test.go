package timeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sequence has its events a millisecond apart.
func sequence(events ...Event) []Event {
	for i := range events {
		events[i].At = time.Duration(i) * ms
	}
	return events
}

func TestLostUpdate(t *testing.T) {
	a := func(k Kind) Event { return Event{Lane: ClientA, Kind: k} }
	b := func(k Kind) Event { return Event{Lane: ClientB, Kind: k} }
	for _, test := range []struct {
		name   string
		events []Event
		want   map[int]Lane
	}{
		{"the holder before writes late", sequence(a(Read), b(Read), b(Write), a(Write)), map[int]Lane{3: ClientB}},
		{"the second does not know of the first", sequence(a(Read), b(Read), a(Write), b(Write)), map[int]Lane{3: ClientA}},
		{"the late write is refused", sequence(a(Read), b(Read), b(Write), a(Refused)), map[int]Lane{}},
		{"one after the other", sequence(a(Read), a(Write), b(Read), b(Write)), map[int]Lane{}},
		{"twice on what was read once", sequence(a(Read), b(Write), a(Write), a(Write)), map[int]Lane{2: ClientB}},
	} {
		s, err := tell(test.events)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, s.lost); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.name, diff)
		}
	}
}

func TestSpans(t *testing.T) {
	s, err := tell(sequence(
		Event{Lane: ClientA, Kind: Acquire}, Event{Lane: ClientA, Kind: Grant}, Event{Lane: ClientA, Kind: Strike},
		Event{Lane: Service, Kind: Strike}, // over in a moment
		Event{Lane: ClientB, Kind: Acquire}, Event{Lane: ClientB, Kind: Grant}, Event{Lane: ClientA, Kind: Heal},
		Event{Lane: ClientA, Kind: Refused}, Event{Lane: ClientA, Kind: Told},
	))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]span{"waits": s.waits, "holds": s.holds, "cuts": s.cuts, "both": s.both}
	want := map[string][]span{
		"waits": {{ClientA, 0, 1}, {ClientB, 4, 5}},
		"holds": {{ClientA, 1, 7}, {ClientB, 5, 9}},
		"cuts":  {{ClientA, 2, 6}},
		"both":  {{"", 5, 7}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

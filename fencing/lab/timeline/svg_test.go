package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

const ms = time.Millisecond

// stories are what the lab tells, in its shapes.
func stories() map[string][]Event {
	begin := []Event{
		{0, ClientA, Acquire, ""},
		{4 * ms, ClientA, Grant, "fence 17"},
		{6 * ms, ClientA, Read, "nothing"},
		{8 * ms, ClientA, Strike, "stopped with SIGSTOP"},
		{10 * ms, ClientB, Acquire, ""},
		{3005 * ms, Service, Note, "the lease of A has ended"},
		{3012 * ms, ClientB, Grant, "fence 18"},
	}
	lost := slices.Concat(begin, []Event{
		{3015 * ms, ClientB, Read, "nothing"},
		{3018 * ms, ClientB, Write, "B"},
		{3020 * ms, ClientB, Release, ""},
		{4020 * ms, ClientA, Heal, "goes on"},
		{4023 * ms, ClientA, Write, "A"},
		{4030 * ms, ClientA, Told, "the lease is gone"},
	})
	refused := slices.Concat(begin, []Event{
		{3014 * ms, ClientB, Claim, ""},
		{3015 * ms, ClientB, Read, "nothing"},
		{3018 * ms, ClientB, Write, "B"},
		{3020 * ms, ClientB, Release, ""},
		{4020 * ms, ClientA, Heal, "goes on"},
		{4023 * ms, ClientA, Refused, "17 < 18"},
		{4030 * ms, ClientA, Told, "the lease is gone"},
	})
	return map[string][]Event{
		"lost": lost, "refused": refused,
		"clock": {
			{0, ClientA, Acquire, ""}, {3 * ms, ClientA, Grant, ""}, {4 * ms, ClientA, Read, "nothing"},
			{5 * ms, Service, Strike, "the clock jumps ahead by an hour"}, {6 * ms, ClientB, Acquire, ""},
			{9 * ms, ClientB, Grant, ""}, {11 * ms, ClientB, Read, "nothing"}, {13 * ms, ClientA, Write, "A"},
			{16 * ms, ClientB, Write, "B, and <not> A & co"}, {17 * ms, ClientA, Release, ""}, {18 * ms, ClientB, Failed, "late"},
		},
	}
}

func TestGolden(t *testing.T) {
	for name, events := range stories() {
		var got bytes.Buffer
		if err := SVG(&got, "Holder paused past its TTL: "+name, events); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}

func TestWellFormedAndSmall(t *testing.T) {
	for name, events := range stories() {
		var got bytes.Buffer
		if err := SVG(&got, "<"+name+"> & \x00 co", events); err != nil {
			t.Fatal(err)
		}
		if got.Len() > 40<<10 {
			t.Errorf("%s has %d bytes", name, got.Len())
		}
		for decoder := xml.NewDecoder(&got); ; {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// crowded is more than any story has, in a moment.
func crowded() []Event {
	kinds := []Kind{Acquire, Grant, Read, Strike, Heal, Write, Refused, Claim, Told, Release, Note, Failed, "other"}
	var all []Event
	for i := range 60 {
		all = append(all, Event{time.Duration(i) * ms / 10, Lanes()[i%4], kinds[i%len(kinds)], strings.Repeat("wide ", i%5)})
	}
	return all
}

func TestTextsDoNotOverlap(t *testing.T) {
	all := stories()
	all["crowded"] = crowded()
	all["one"] = []Event{{time.Hour, Resource, Note, strings.Repeat("long ", 100)}}
	for name, events := range all {
		p, err := draw(name, events)
		if err != nil {
			t.Fatal(err)
		}
		if name == "one" && p.width > 2*room {
			t.Errorf("a long text made the picture %d wide", p.width)
		}
		if len(p.boxes) < len(events) {
			t.Errorf("%s: %d texts for %d events", name, len(p.boxes), len(events))
		}
		for i, a := range p.boxes {
			if a.left < 0 || a.top < 0 || a.right > p.width || a.bottom > p.bottom+margin {
				t.Errorf("%s: %+v is not within %d × %d", name, a, p.width, p.bottom+margin)
			}
			for _, b := range p.boxes[i+1:] {
				if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
					t.Errorf("%s: %+v and %+v overlap", name, a, b)
				}
			}
		}
	}
}

func TestEventsComeInAnyOrder(t *testing.T) {
	for name, events := range stories() {
		var want, got bytes.Buffer
		if err := SVG(&want, name, events); err != nil {
			t.Fatal(err)
		}
		turned := slices.Clone(events)
		slices.Reverse(turned)
		if err := SVG(&got, name, turned); err != nil {
			t.Fatal(err)
		}
		if want.String() != got.String() {
			t.Errorf("%s is another picture when its events come in another order", name)
		}
	}
}

func TestWhatIsNoStory(t *testing.T) {
	for _, test := range []struct {
		events []Event
		want   string
	}{
		{nil, `draw "x": there are no events`},
		{[]Event{{Lane: "client C", Kind: Read}}, `there is no lane "client C"`},
		{[]Event{{At: -time.Second, Lane: ClientA, Kind: Read}}, "read of client A is 1s before the story begins"},
	} {
		if err := SVG(io.Discard, "x", test.events); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %s", test.events, err, test.want)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteErrorIsTold(t *testing.T) {
	if err := SVG(broken{}, "x", stories()["lost"]); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

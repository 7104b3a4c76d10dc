package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockside/daemon/faults/history"
)

// TestRecorderPutsInOrder has several goroutines record.
func TestRecorderPutsInOrder(t *testing.T) {
	r := history.NewRecorder()
	var all []history.Event
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range int64(100) {
				r.Record(history.Event{Kind: history.Wrote, Client: fmt.Sprint(i), Value: n})
			}
		})
	}
	for len(all) < 800 {
		all = append(all, r.Take()...)
	}
	wg.Wait()
	next := map[string]int64{}
	for i, e := range all {
		if i > 0 && e.At < all[i-1].At {
			t.Fatalf("event %d is of %v, after %v", i, e.At, all[i-1].At)
		}
		if e.Value != next[e.Client] {
			t.Fatalf("of %s comes %d, want %d", e.Client, e.Value, next[e.Client])
		}
		next[e.Client]++
	}
	if now := r.Now(); now < all[799].At || all[0].At == 0 {
		t.Errorf("events from %v to %v, and it is %v", all[0].At, all[799].At, now)
	}
}

// TestMerge has two processes' histories, one of which was killed as it wrote.
func TestMerge(t *testing.T) {
	var a, b bytes.Buffer
	first, second := history.NewWriter(&a), history.NewWriter(&b)
	for range 3 {
		first.Record(history.Event{Kind: history.Asked, Client: "a", Host: "h", Names: []string{"x", "y"}})
		second.Record(history.Event{Kind: history.Granted, Client: "b", Names: []string{"x"}, Fence: 7, Lease: 9})
	}
	if first.Err() != nil || len(first.Take()) != 0 {
		t.Errorf("a recorder that writes: %v, and keeps events", first.Err())
	}
	got, err := history.Merge(&a, io.MultiReader(&b, strings.NewReader(`{"at_ns":5,"ki`)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(got, func(a, b history.Event) int { return int(a.At - b.At) }) || len(got) != 6 {
		t.Errorf("merged: %v", got)
	}
	want := history.Event{At: got[5].At, Kind: history.Granted, Client: "b", Names: []string{"x"}, Fence: 7, Lease: 9}
	if diff := cmp.Diff(want, got[5]); diff != "" {
		t.Error(diff)
	}
}

func TestMergeRefuses(t *testing.T) {
	for _, text := range []string{"no JSON\n", `{"at_ns":5,"wrong":1}` + "\n"} {
		if all, err := history.Merge(strings.NewReader(text)); err == nil {
			t.Errorf("%q gives %v", text, all)
		}
	}
	broken := errors.New("broken")
	if _, err := history.Merge(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

func TestRecorderTellsWhatItCouldNotWrite(t *testing.T) {
	broken := errors.New("broken")
	r := history.NewWriter(failing{broken})
	r.Record(history.Event{Kind: history.Closing})
	if !errors.Is(r.Err(), broken) {
		t.Errorf("a file that cannot be written: %v", r.Err())
	}
}

// failing is a file that is none.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

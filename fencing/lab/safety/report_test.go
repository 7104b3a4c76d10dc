package safety

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockside/fencing/lab/systems"
	"lockside/fencing/lab/timeline"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample is a report of stories of all sorts, and of some that are missing.
func sample() *Report {
	s := time.Second
	late := []timeline.Event{
		{At: 0, Lane: timeline.ClientA, Kind: timeline.Grant, Text: "fence 7"},
		{At: 0, Lane: timeline.ClientA, Kind: timeline.Strike},
		{At: 3 * s, Lane: timeline.ClientB, Kind: timeline.Grant, Text: "fence 8"},
		{At: 4 * s, Lane: timeline.ClientA, Kind: timeline.Heal},
		{At: 4 * s, Lane: timeline.ClientA, Kind: timeline.Write},
	}
	lost := Outcome{Granted: true, Early: true, Overlap: 2 * s, TakeOver: 3020 * time.Millisecond, WroteA: true, WroteB: true, Value: "A", Lost: true}
	fenced, stopped := lost, lost
	fenced.FenceA, fenced.FenceB = 7, 8
	stopped = fenced
	stopped.WroteA, stopped.StaleA, stopped.Value, stopped.Lost = false, true, "B", false
	stopped.Told, stopped.ToldAfter = "end of file", 4*s
	told := fenced
	told.Early, told.Overlap, told.Told, told.ToldAfter, told.InTime = false, 0, "lost line", 2*s, true
	low := Outcome{FenceA: 7, FenceB: 1, Granted: true, StaleB: true, WroteA: true, Value: "A"}
	away := Outcome{FenceA: 7, Answer: "no | leader", WroteA: true, Value: "A"}
	fine := Outcome{FenceA: 7, FenceB: 8, Granted: true, WroteA: true, WroteB: true, Value: "A, B"}
	const noFence = "It has no fence to check."
	ours := systems.Lockside
	return &Report{
		Day: "2026-12-02", Took: 9 * time.Minute, TTL: 3 * s,
		Systems: []System{
			{ours, "The daemon.", "1", "create revision", "a minority of members", "none of the servers'", Calm{1234 * time.Microsecond, 100, 0}},
			{"Redis", "SET NX PX.", "7", "none", "nothing", "the server's", Calm{Acquire: 340 * time.Microsecond}},
			{"Postgres", "A row.", "15", "a sequence", "nothing", "the server's", Calm{2 * time.Millisecond, 100, 4}},
			{Name: "ZooKeeper"},
		},
		Scenarios: Scenarios(),
		Results: []Result{
			{System: ours, Scenario: Pause, Outcome: fenced, Events: late},
			{System: ours, Scenario: Pause, Checked: true, Outcome: stopped, Events: late},
			{System: ours, Scenario: Partition, Outcome: told, Setting: "The daemon is cut off."},
			{System: ours, Scenario: Partition, Checked: true, Outcome: stopped, Setting: "The daemon is cut off."},
			{System: ours, Scenario: Failover, Outcome: away},
			{System: ours, Scenario: LostDisk, Outcome: fine},
			{System: "Redis", Scenario: Pause, Outcome: lost, Events: late},
			{System: "Redis", Scenario: Pause, Checked: true, Reason: noFence},
			{System: "Redis", Scenario: Clock, Outcome: lost, Events: late},
			{System: "Redis", Scenario: Clock, Checked: true, Reason: noFence},
			{System: "Postgres", Scenario: Pause, Checked: true, Outcome: stopped},
			{System: "Postgres", Scenario: Reset, Checked: true, Outcome: low},
			{System: "Postgres", Scenario: Clock, Outcome: Outcome{FenceA: 1, FenceB: 2, Granted: true, Early: true}},
		},
		Missing: []string{"ZooKeeper is left out: there is no java."},
		Broken:  []string{"lockside: something."},
	}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
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

func TestTable(t *testing.T) { golden(t, "table.txt", sample().WriteTable) }

func TestMarkdown(t *testing.T) {
	golden(t, "page.md", func(w io.Writer) error {
		return sample().WriteMarkdown(w, []Picture{{Pause, "Holder paused past its TTL. lockside", "plots/safety-pause-lockside.svg"}})
	})
}

// Every system has its row, and every cell has a word or a note that says why not.
func TestEveryCellHasAWordOrANote(t *testing.T) {
	r := sample()
	for name, g := range map[string]grid{"comparison": r.comparison(true), "outcomes": r.outcomes()} {
		if rows := map[string]int{"comparison": 4, "outcomes": 8}[name]; len(g.rows) != rows {
			t.Errorf("%s: %d rows, want %d", name, len(g.rows), rows)
		}
		for _, row := range g.rows {
			if len(row) != len(g.header) {
				t.Errorf("%s: %q has not the columns %q", name, row, g.header)
			}
			for _, cell := range row {
				if cell == "" || strings.HasSuffix(cell, none) {
					t.Errorf("%s: %q has a cell that says nothing", name, row)
				}
			}
		}
	}
}

func TestWord(t *testing.T) {
	for _, test := range []struct {
		outcome Outcome
		want    string
		correct bool
	}{
		{Outcome{Granted: true, WroteA: true, WroteB: true}, safe, true},
		{Outcome{Granted: true, Early: true, StaleA: true}, refused, true},
		{Outcome{Granted: true, Early: true}, twoHolders, false},
		{Outcome{Granted: true, Early: true, Lost: true}, lostUpdate, false},
		{Outcome{Granted: true, Lost: true, InTime: true}, lostThough, false},
		{Outcome{Granted: true, StaleA: true, StaleB: true}, newRefused, false},
		{Outcome{}, notAvailable, false},
	} {
		r := Result{Outcome: test.outcome}
		if r.word() != test.want || r.correct() != test.correct {
			t.Errorf("%+v: %q, correct %t, want %q, %t", test.outcome, r.word(), r.correct(), test.want, test.correct)
		}
	}
	if word := (Result{Reason: "why"}).word(); word != none {
		t.Errorf("a story that is missing: %q", word)
	}
}

func TestPictures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	pictures, err := sample().WritePictures(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Picture{
		{Pause, "Holder paused past its TTL. lockside; the resource checks fences: refused", filepath.Join(dir, "safety-pause-lockside.svg")},
		{Pause, "Holder paused past its TTL. Redis; the resource does not check fences: lost update", filepath.Join(dir, "safety-pause-rival.svg")},
		{Clock, "Clock of one server stepped. Redis; the resource does not check fences: lost update", filepath.Join(dir, "safety-clock-rival.svg")},
	}
	if diff := cmp.Diff(want, pictures); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, picture := range pictures {
		drawn, err := os.ReadFile(picture.File)
		if err != nil || !bytes.Contains(drawn, []byte(picture.Title)) {
			t.Errorf("%s does not show %q: %v", picture.File, picture.Title, err)
		}
	}
}

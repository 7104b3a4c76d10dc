package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/machine"
	"lockside/fencing/lab/quiet"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/systems"
)

// sample is a report in which every column has something to tell.
func sample() *report.Report {
	r := &report.Report{
		Day: "2026-12-01",
		Machine: machine.Machine{
			CPU: "Some CPU", Cores: 2, Memory: 8 << 30, Kernel: "Linux 6.1", Filesystem: "ext4",
			SyncP50: 250 * time.Microsecond, SyncP99: time.Millisecond, Load: "0.10", Go: "go1.26",
		},
		Settings: report.Settings{Warmup: time.Second, Time: 2 * time.Second, Rounds: 3, TTL: 15 * time.Second, PauseMin: 5 * time.Millisecond, PauseMax: 25 * time.Millisecond, ReuseTime: 3 * time.Minute},
		Systems: []report.System{
			{Name: systems.Lockside, About: "The daemon.", Version: "1", Fenced: true},
			{Name: systems.Mutex, About: "A mutex.", Version: "2", Fenced: true},
			{Name: "Redis", About: "A script.", Version: "3"},
			{Name: systems.Put, About: "No lock.", Version: "2", Bare: true},
		},
		Missing: []string{"ZooKeeper is left out: there is no java"},
		Cut:     "the limit was reached",
	}
	own, one := bench.Load{Workers: 1, Hosts: 1}, bench.Load{Shared: true, Workers: 2, Hosts: 1}
	hosts := bench.Load{Shared: true, Workers: 2, Hosts: 2}
	ms := time.Millisecond
	for _, c := range []struct {
		system string
		load   bench.Load
		bench.Sample
	}{
		{systems.Lockside, own, bench.Sample{Cycles: bench.Times{2 * ms, 3 * ms, 12 * ms}, Acquires: bench.Times{ms, ms, 2 * ms}}},
		{systems.Mutex, own, bench.Sample{Cycles: bench.Times{4 * ms, 4 * ms}, Acquires: bench.Times{2 * ms, 2 * ms}}},
		{"Redis", own, bench.Sample{Cycles: bench.Times{ms}, Acquires: bench.Times{ms}, Errors: map[string]int{"gone\naway": 2}}},
		{systems.Put, own, bench.Sample{Cycles: bench.Times{ms}, Acquires: bench.Times{ms}}},
		{systems.Lockside, one, bench.Sample{Cycles: make(bench.Times, 12000), Acquires: bench.Times{ms}, HandOffs: 2000, PerWorker: []int{5000, 7000}}},
		{systems.Mutex, one, bench.Sample{Cycles: make(bench.Times, 20), Acquires: bench.Times{ms}, HandOffs: 18, PerWorker: []int{20, 0}, Unfinished: 1500 * ms, Counts: bench.Counts{Overlaps: 3, NotRising: 4}}},
		{systems.Lockside, hosts, bench.Sample{Cycles: make(bench.Times, 1000), Acquires: bench.Times{ms}, HandOffs: 1000, PerWorker: []int{480, 520}, PerHost: []int{480, 520}}},
	} {
		c.Time = 2 * time.Second
		r.Cells = append(r.Cells, report.Cell{Place: at(c.system), Result: bench.Summarize(c.load, []bench.Sample{c.Sample})})
	}
	r.Reuse = reuses()
	r.Quiet, r.Waiters = quiets()
	return r
}

// at is a place with one server.
func at(system string) report.Place { return report.Place{System: system, Members: 1, Servers: 1} }

// reuses are of a name that stays as fast as it was, and of one that does not.
func reuses() []report.Reuse {
	ms := time.Millisecond
	return []report.Reuse{
		{Place: at(systems.Lockside), Reuse: bench.Reuse{
			Workers: 16, Wanted: 100000, Cycles: 100000, Seconds: 25.04,
			Tenths: []bench.Tenth{
				{Cycles: 50000, Seconds: 12.5, Rate: 4000, Cycle: bench.Spread{P50: 4 * ms, P99: 8 * ms, Max: 9 * ms}},
				{Cycles: 50000, Seconds: 12.54, Rate: 3987, Cycle: bench.Spread{P50: 5 * ms, P99: 10 * ms, Max: 11 * ms}},
			},
		}},
		{Place: at("Redis"), Reuse: bench.Reuse{
			Workers: 16, Wanted: 100000, Cycles: 1200, Seconds: 180,
			Tenths: []bench.Tenth{{Cycles: 600, Rate: 7, Cycle: bench.Spread{P50: 40 * ms}}, {Cycles: 600, Rate: 5, Cycle: bench.Spread{P50: 50 * ms}}},
			Counts: bench.Counts{Overlaps: 1}, Errors: map[string]int{"gone": 1},
		}},
	}
}

// quiets are of a system with a daemon, and of one without that fits fewer.
func quiets() ([]report.Quiet, []report.Waiters) {
	more := func(ms time.Duration, rate float64) bench.Result {
		return bench.Result{Load: "own", Workers: 1, Hosts: 1, Rate: rate, Acquire: bench.Spread{P50: ms, P99: 3 * ms, Max: 9 * ms}, Cycle: bench.Spread{P50: 2 * ms, P99: 4 * ms, Max: 10 * ms}}
	}
	const mib = 1 << 20
	sound := quiet.Sessions{
		Wanted: 10000, Sessions: 10000, Coming: 2.54, Seconds: 15, Leases: 20, Renewals: 4,
		Daemon: quiet.Cost{Without: servers.Usage{Resident: 24 * mib, Anonymous: 14 * mib}, With: servers.Usage{Resident: 139 * mib, Anonymous: 129 * mib}, CPU: 0.002},
		Etcd:   quiet.Cost{Without: servers.Usage{Resident: 60 * mib, Anonymous: 30 * mib}, With: servers.Usage{Resident: 90 * mib, Anonymous: 50 * mib}, CPU: 0.015},
		Before: more(time.Millisecond, 500), Beside: more(1100*time.Microsecond, 450), After: more(time.Millisecond, 505),
	}
	worse := sound
	worse.Sessions, worse.Leases, worse.Lost, worse.Renewals, worse.Daemon = 9744, 9744, 3, 1948.8, quiet.Cost{}
	worse.Errors = map[string]int{"lost": 3}
	worse.Beside.Errors = map[string]int{"late": 1}
	return []report.Quiet{{Place: at(systems.Lockside), Sessions: sound}, {Place: at(systems.Mutex), Sessions: worse}},
		[]report.Waiters{
			{Place: at(systems.Lockside), Waiters: quiet.Waiters{Wanted: 2000, Waiters: 2000, Granted: 2000, Seconds: 1.6, Rate: 1250}},
			{Place: at(systems.Mutex), Waiters: quiet.Waiters{Wanted: 2000, Waiters: 2000, Granted: 1999, Seconds: 180, Rate: 11.1, Counts: bench.Counts{Overlaps: 1, NotRising: 2}, Errors: map[string]int{"not in time": 1}}},
		}
}

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; go test -update writes it):\n%s", name, diff)
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := sample().WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", out.Bytes())
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := sample().WriteMarkdown(&out, []string{"plots/own-rate-1.svg", "plots/own-rate-3.svg"}); err != nil {
		t.Fatal(err)
	}
	golden(t, "page.md", out.Bytes())
}

// TestMarkdownOfWhatIsMeasuredOnce has no section about loads without any.
func TestMarkdownOfWhatIsMeasuredOnce(t *testing.T) {
	r := sample()
	r.Cells = nil
	var out bytes.Buffer
	if err := r.WriteMarkdown(&out, nil); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "Every load") || !strings.Contains(text, "## 2,000 waiters") {
		t.Errorf("the page is:\n%s", text)
	}
}

func TestJSONIsReadBackTheSame(t *testing.T) {
	want := sample()
	var out bytes.Buffer
	if err := want.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got report.Report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for i := range want.Cells {
		if len(want.Cells[i].Errors) == 0 {
			want.Cells[i].Errors = nil // left out
		}
	}
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Error(diff)
	}
}

func TestPlots(t *testing.T) {
	r := sample()
	for _, n := range []int{16, 64} {
		more := r.Cells[0]
		more.Workers, more.Rate = n, 1000*float64(n)
		r.Cells = append(r.Cells, more)
	}
	dir := filepath.Join(t.TempDir(), "plots")
	files, err := r.WritePlots(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "own-rate-1.svg"), filepath.Join(dir, "own-p99-1.svg")}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Fatalf("plots, with one point of every other figure:\n%s", diff)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<svg", "cycles/s", "lockside", ">64<"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the plot has no %q", part)
		}
	}
}

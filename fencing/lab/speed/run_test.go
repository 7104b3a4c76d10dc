package speed_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/report"
	"lockside/fencing/lab/servers"
	"lockside/fencing/lab/speed"
	"lockside/fencing/lab/systems"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEverySystem measures each system shortly on real servers. Those that are
// not installed are skipped.
func TestEverySystem(t *testing.T) {
	programs, err := servers.Programs{}.Find().Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range systems.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			if err := kind.Missing(programs); err != nil {
				t.Skip(err)
			}
			o := short()
			o.Systems, o.Programs, o.Reuse = []string{kind.Name}, programs, 200
			if kind.Servers[1] == 0 {
				o.Members = []int{3}
			}
			r := measure(t, t.Context(), o)
			if want := cells(kind); len(r.Cells) != want {
				t.Errorf("%d cells were measured, want %d", len(r.Cells), want)
			}
			for _, c := range r.Cells {
				checkCell(t, kind, c)
			}
			checkReuse(t, kind, r.Reuse)
		})
	}
}

// cells is how many loads short has for a system.
func cells(kind systems.Kind) int {
	if kind.Bare {
		return 1
	}
	return 5
}

func checkCell(t *testing.T, kind systems.Kind, c report.Cell) {
	t.Helper()
	if c.Cycles == 0 || c.ErrorCount() != 0 || c.Overlaps != 0 {
		t.Errorf("%s: %d cycles, %d overlaps, errors %v", c.Load, c.Cycles, c.Overlaps, c.Errors)
	}
	if c.NotRising != 0 && kind.Name != "Postgres" { // whose fences are no order of grants
		t.Errorf("%s: %d fences do not rise", c.Load, c.NotRising)
	}
	if c.Load == "own" && (c.Least == 0 || c.Acquire.P50 == 0) {
		t.Errorf("%s: the slowest worker had %g of its share, p50 of an acquire %v", c.Load, c.Least, c.Acquire.P50)
	}
}

// checkReuse holds that a lock was used as often as short has it.
func checkReuse(t *testing.T, kind systems.Kind, all []report.Reuse) {
	t.Helper()
	if kind.Bare {
		if len(all) != 0 {
			t.Errorf("what is no lock has a name used: %+v", all)
		}
		return
	}
	if len(all) != 1 {
		t.Fatalf("%d reuses were measured, want 1", len(all))
	}
	u := all[0]
	if u.Cycles != 200 || len(u.Tenths) != 10 || u.First().Rate <= 0 || u.Overlaps != 0 || u.ErrorCount() != 0 {
		t.Errorf("reuse: %+v", u)
	}
	if u.NotRising != 0 && kind.Name != "Postgres" {
		t.Errorf("reuse: %d fences do not rise", u.NotRising)
	}
}

// measure runs, and holds that no file is left.
func measure(t *testing.T, ctx context.Context, o speed.Options) *report.Report {
	t.Helper()
	dir, err := os.MkdirTemp("", "lab") // short enough for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	o.Dir = dir
	r, err := speed.Run(ctx, o, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return r
}

// TestThreeMembers measures lockside on a cluster that survives the loss of one.
func TestThreeMembers(t *testing.T) {
	o := short()
	o.Systems, o.Members, o.Loads, o.Workers = []string{systems.Lockside}, []int{3}, []string{"own"}, []int{4}
	r := measure(t, t.Context(), o)
	if len(r.Cells) != 1 || r.Cells[0].Servers != 3 || r.Cells[0].Cycles == 0 || r.Cells[0].Result.Workers != 4 {
		t.Errorf("cells %+v", r.Cells)
	}
}

// TestInterrupted ends a run once its first load is measured: that load is told,
// and the servers end.
func TestInterrupted(t *testing.T) {
	o := short()
	o.Systems, o.Loads, o.Workers = []string{systems.Mutex}, []string{"own", "one"}, []int{2}
	o.Rounds = 1000
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	enough := errors.New("enough")
	watch := &watcher{Handler: slog.NewTextHandler(t.Output(), nil), then: func() { cancel(enough) }}
	r, err := speed.Run(ctx, o, slog.New(watch))
	if !errors.Is(err, enough) || r == nil || r.Cut != "enough" {
		t.Fatalf("the run says %v, report %+v", err, r)
	}
	if len(r.Cells) != 1 || r.Cells[0].Load != (bench.Load{}).Kind() || r.Cells[0].Cycles == 0 {
		t.Errorf("cells %+v", r.Cells)
	}
}

// watcher does something once a load is measured.
type watcher struct {
	slog.Handler
	then func()
}

func (w *watcher) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "Measured" {
		w.then()
	}
	return w.Handler.Handle(ctx, record)
}

// TestLeavesOutWhatIsNotThere has a system without its program told, and the
// run go on.
func TestLeavesOutWhatIsNotThere(t *testing.T) {
	for _, kind := range systems.Kinds() {
		if err := kind.Missing(servers.Programs{}); err != nil {
			t.Log(err)
			continue
		}
		switch kind.Name {
		case systems.Lockside, systems.Lines, systems.Mutex, systems.Session, systems.Put:
		default:
			t.Errorf("%s needs nothing that could be missing", kind.Name)
		}
	}
}

// TestFailureIsTold has a server that cannot start.
func TestFailureIsTold(t *testing.T) {
	o := short()
	o.Systems, o.Loads, o.Workers = []string{"Redis"}, []string{"own"}, []int{1}
	o.Programs = servers.Programs{Redis: "/bin/false", Etcd: "unused", Locksided: "unused"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := speed.Run(ctx, o, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err == nil || r == nil || len(r.Missing) != 1 || len(r.Cells) != 0 {
		t.Errorf("error %v, report %+v", err, r)
	}
}

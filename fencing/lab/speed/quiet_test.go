package speed_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/fencing/lab/speed"
	"lockside/fencing/lab/systems"
)

// few are options for some sessions that only hold, and some that wait.
func few() speed.Options {
	o := short()
	o.Systems, o.Loads, o.TTL = []string{systems.Lines, systems.Mutex, systems.Put}, nil, 3*time.Second
	o.Quiet, o.Waiters = 50, 40
	return o
}

// TestQuiet has both systems that keep sessions have some, and wait.
func TestQuiet(t *testing.T) {
	r := measure(t, t.Context(), few())
	if len(r.Quiet) != 2 || len(r.Waiters) != 2 || len(r.Cells) != 0 || len(r.Reuse) != 0 || len(r.Missing) != 0 {
		t.Fatalf("the report is %+v", r)
	}
	for i, system := range []string{systems.Lines, systems.Mutex} {
		q, w := r.Quiet[i], r.Waiters[i]
		if q.System != system || q.Sessions.Sessions != 50 || q.Lost != 0 || len(q.Errors) != 0 {
			t.Errorf("%s: %+v", system, q)
		}
		if q.Before.Cycles == 0 || q.Beside.Cycles == 0 || q.After.Cycles == 0 || q.Beside.Overlaps != 0 || q.Beside.NotRising != 0 {
			t.Errorf("%s: one more client: %+v, %+v, %+v", system, q.Before, q.Beside, q.After)
		}
		if q.Etcd.Without.Resident == 0 || q.Etcd.With.Resident == 0 || (q.Daemon.With.Anonymous > 0) != (system == systems.Lines) {
			t.Errorf("%s: the daemon uses %+v, etcd %+v", system, q.Daemon, q.Etcd)
		}
		if w.System != system || w.Waiters.Waiters != 40 || w.Granted != 40 || w.Overlaps != 0 || w.NotRising != 0 || len(w.Errors) != 0 {
			t.Errorf("%s: waiters %+v", system, w)
		}
	}
	ours, theirs := r.Quiet[0], r.Quiet[1]
	if ours.Leases < 1 || ours.Leases > 2 || theirs.Leases < 50 {
		t.Errorf("there are %d leases with lockside, %d with a Mutex", ours.Leases, theirs.Leases)
	}
	if ours.Renewals <= 0 || ours.Renewals > 5 || theirs.Renewals < 25 {
		t.Errorf("there are %g renewals/s with lockside, %g with a Mutex", ours.Renewals, theirs.Renewals)
	}
}

// TestQuietTellsWhatDoesNotFit has a process with few files, which is another
// one: a hard limit cannot be raised again.
func TestQuietTellsWhatDoesNotFit(t *testing.T) {
	const files, inside = 300, "LAB_TEST_FEW_FILES"
	if os.Getenv(inside) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), inside+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: files, Max: files}); err != nil {
		t.Fatal(err)
	}
	o := few()
	o.Systems, o.Waiters = []string{systems.Lines}, 0
	r := measure(t, t.Context(), o)
	if len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "44 quiet sessions where 50 are asked for") {
		t.Errorf("the report tells %q", r.Missing)
	}
	if len(r.Quiet) != 1 || r.Quiet[0].Wanted != 50 || r.Quiet[0].Sessions.Sessions != 44 {
		t.Errorf("%+v", r.Quiet)
	}
}

package quiet_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockside/fencing/lab/bench"
	"lockside/fencing/lab/quiet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sessions has 200 of them hold a fake's names for a moment.
func sessions(t *testing.T, f *fake) quiet.Sessions {
	t.Helper()
	s, err := quiet.MeasureSessions(t.Context(), f, quiet.Plan{
		Sessions: 200, Quiet: 200 * time.Millisecond, Probe: 50 * time.Millisecond, Fenced: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if f.sessions != 0 {
		t.Errorf("%d sessions are left", f.sessions)
	}
	return s
}

func TestSessions(t *testing.T) {
	f := &fake{}
	s := sessions(t, f)
	if s.Sessions != 200 || s.Lost != 0 || len(s.Errors) != 0 || s.Leases != 200 || f.most != 201 {
		t.Errorf("%+v; %d sessions at once", s, f.most)
	}
	if a, b := s.PerSession(s.Daemon), s.PerSession(s.Etcd); a != 1000 || b != 2000 {
		t.Errorf("the daemon has %g bytes a session, etcd %g", a, b)
	}
	if math.Abs(s.Daemon.CPU-0.5) > 0.01 || math.Abs(s.Etcd.CPU-0.5) > 0.01 || math.Abs(s.Renewals-1000) > 20 {
		t.Errorf("%g renewals/s, %g and %g processors", s.Renewals, s.Daemon.CPU, s.Etcd.CPU)
	}
	if s.Seconds < 0.2 {
		t.Errorf("it was quiet for %gs", s.Seconds)
	}
	for _, r := range []bench.Result{s.Before, s.Beside, s.After} {
		if r.Cycles == 0 || r.Workers != 1 || r.ErrorCount() != 0 || r.Overlaps != 0 || r.NotRising != 0 {
			t.Errorf("one more client: %+v", r)
		}
	}
}

func TestSessionsThatAreLost(t *testing.T) {
	s := sessions(t, &fake{losing: 20})
	if s.Sessions != 200 || s.Lost != 10 || s.Errors["lost"] != 10 {
		t.Errorf("%+v", s)
	}
}

func TestSessionsThatAreNotLetIn(t *testing.T) {
	s := sessions(t, &fake{refused: 50})
	if s.Sessions != 196 || s.Lost != 0 || s.Errors["too many"] != 4 {
		t.Errorf("%+v", s)
	}
	if per := s.PerSession(s.Daemon); per != 1000 {
		t.Errorf("%g bytes for each of those that there are", per)
	}
}

func TestSessionsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	f := &fake{}
	stop := time.AfterFunc(300*time.Millisecond, func() { cancel(enough) })
	defer stop.Stop()
	_, err := quiet.MeasureSessions(ctx, f, quiet.Plan{Sessions: 20, Quiet: time.Hour, Probe: 20 * time.Millisecond})
	if !errors.Is(err, enough) || f.sessions != 0 {
		t.Errorf("%v, and %d sessions are left", err, f.sessions)
	}
}

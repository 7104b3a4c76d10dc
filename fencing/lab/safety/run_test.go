package safety

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"lockside/fencing/lab/actor"
	"lockside/fencing/lab/servers"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// TestShortRun plays a short run, and holds what the comparison says to it. What is
// not installed is left out.
func TestShortRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	if lacks := lacksPostgres(servers.Programs{}.Find()); lacks != "" {
		t.Skip(lacks)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	report, err := Run(ctx, Options{Short: true, Parallel: 3, TTL: 3 * time.Second}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := report.WriteTable(t.Output()); err != nil {
		t.Error(err)
	}
	for _, text := range report.Missing {
		t.Log(text)
	}
	for _, text := range report.Broken {
		t.Errorf("lockside: %s", text)
	}
	for _, one := range report.Results {
		if one.Reason != "" {
			t.Logf("%s, %s: %s", one.System, one.Scenario, one.Reason)
			continue
		}
		if want := expected(one); !strings.Contains(want, one.word()) {
			t.Errorf("%s, %s, checked: %v: %s, want %s: %+v", one.System, one.Scenario, one.Checked, one.word(), want, one.Outcome)
		}
	}
}

// expected are the words that a story of a short run may have. Without a lock's
// fence, and without a resource that looks at it, an update is lost.
func expected(r Result) string {
	switch {
	case r.Scenario == Failover, r.Scenario == LostDisk && r.System != Lockside+", one member":
		return lostUpdate // the fences go back too, and B's is the same as A's
	case r.Scenario == Reset && r.System == "Redis":
		return lostUpdate + ", " + newRefused
	case r.Scenario == Reset && r.System != Lockside:
		return newRefused
	case r.Scenario == Reset || r.Scenario == LostDisk:
		return notAvailable
	case r.System == clientAlone().Name:
		return safe
	case r.Checked:
		return refused
	}
	return lostUpdate + ", " + lostThough
}

// TestEveryStoryIsPlayedOrHasAReason looks at the plan of a whole run.
func TestEveryStoryIsPlayedOrHasAReason(t *testing.T) {
	r := &run{Options: Options{Programs: servers.Programs{Faketime: "there"}}}
	stories := r.stories(nil)
	if want := len(kinds()) * len(Scenarios()) * 2; len(stories) != want {
		t.Errorf("%d stories, want %d", len(stories), want)
	}
	played := map[string]bool{}
	for _, p := range stories {
		if p.reason == "" {
			played[p.kind.Name], played[p.scenario] = true, true
		}
	}
	for _, name := range Names() {
		if !played[name] {
			t.Errorf("%s is never struck", name)
		}
	}
	short := &run{Options: Options{Short: true, Programs: r.Programs}}
	for _, p := range short.stories(nil) {
		if p.reason == "" {
			delete(played, p.kind.Name)
			delete(played, p.scenario)
		}
	}
	for name := range played {
		t.Errorf("a short run leaves out %s", name)
	}
}

// A system that is not installed keeps its stories, with how to get it.
func TestMissingSystemHasReasons(t *testing.T) {
	r := &run{}
	for _, p := range r.stories(map[string]string{"ZooKeeper": "Left out: there is no java."}) {
		if left := p.reason == "Left out: there is no java."; left != (p.kind.Name == "ZooKeeper") {
			t.Errorf("%s, %s: %q", p.kind.Name, p.scenario, p.reason)
		}
	}
}

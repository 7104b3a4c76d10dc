package crowd

import (
	"fmt"
	"testing"
	"time"

	"lockside/ipc"
)

// TestPlansComeFromTheSeed: the same client draws the same plans again, and
// another client others.
func TestPlansComeFromTheSeed(t *testing.T) {
	plans := func(seed uint64, id string) string {
		r, all := random(seed, id), ""
		for range 100 {
			all += fmt.Sprintf("%+v\n", draw(r, 50, 10*time.Second))
		}
		return all
	}
	if plans(1, "c1/1") != plans(1, "c1/1") {
		t.Error("one seed gives two plans")
	}
	if plans(1, "c1/1") == plans(1, "c1/2") || plans(1, "c1/1") == plans(2, "c1/1") {
		t.Error("two clients, or two seeds, give one plan")
	}
}

// TestPlansDiffer: every way to lock that there is, is drawn.
func TestPlansDiffer(t *testing.T) {
	seen := map[string]bool{}
	note := func(what string, is bool) {
		if is {
			seen[what] = true
		}
	}
	r := random(1, "c1/1")
	for range 1000 {
		p := draw(r, 50, 10*time.Second)
		if len(p.names) == 0 || p.hold < 0 || p.hold >= 20*time.Second {
			t.Fatalf("the plan %+v", p)
		}
		note("one name", len(p.names) == 1)
		note("several names", len(p.names) > 2)
		note("for ever", p.wait == ipc.WaitForever && p.patience == 0)
		note("try", p.wait == 0)
		note("wait=", p.wait > 0)
		note("cancel", p.patience > 0 && !p.rude)
		note("hang up while waiting", p.patience > 0 && p.rude)
		note("short", p.hold < 50*time.Millisecond)
		note("longer than the TTL", p.hold > 10*time.Second)
		note("unlock", p.unlock)
		note("close", !p.unlock)
		note("use", p.uses > 0)
		note("ttl=", p.ttl > 0)
	}
	if len(seen) != 13 {
		t.Errorf("only these were drawn: %v", seen)
	}
}

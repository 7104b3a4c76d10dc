package resource_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/resource"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRefusesLowerFences has two clients take turns, and looks at the answers
// and at the history.
func TestRefusesLowerFences(t *testing.T) {
	recorder := history.NewRecorder()
	path := filepath.Join(t.TempDir(), "s")
	server, err := resource.Serve(path, recorder)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		use  resource.Use
		want resource.Answer
	}{
		{resource.Use{Name: "x", Fence: 5, Write: true, Value: 1}, resource.Answer{}},
		{resource.Use{Name: "x", Fence: 5}, resource.Answer{Value: 1}},
		{resource.Use{Name: "x", Fence: 7}, resource.Answer{Value: 1}},
		{resource.Use{Name: "x", Fence: 5, Write: true, Value: 2}, resource.Answer{Value: 1, Denied: true}},
		{resource.Use{Name: "y", Fence: 5, Write: true, Value: 3}, resource.Answer{}},
		{resource.Use{Name: "x", Fence: 7}, resource.Answer{Value: 1}},
	}
	var clients []*resource.Client
	for range 2 {
		c, err := resource.Dial(path)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	for i, step := range steps {
		step.use.Begin = recorder.Now()
		if got, err := clients[i%2].Use(step.use); err != nil || got != step.want {
			t.Errorf("step %d: %+v, %v, want %+v", i, got, err, step.want)
		}
	}
	if err := clients[0].Close(); err != nil {
		t.Error(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if _, err := clients[1].Use(resource.Use{Name: "x"}); err == nil {
		t.Error("a closed server answers")
	}
	if err := clients[1].Close(); err != nil {
		t.Error(err)
	}
	events := recorder.Take()
	if len(events) != len(steps) || !events[3].Denied || events[3].Kind != history.Wrote {
		t.Errorf("recorded: %v", events)
	}
	if found := history.Check(events); len(found) != 0 {
		t.Error(found)
	}
}

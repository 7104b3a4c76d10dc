package speed_test

import (
	"strings"
	"testing"
	"time"

	"lockside/fencing/lab/speed"
	"lockside/fencing/lab/systems"
)

// short are options for a run that is over soon, of the loads alone.
func short() speed.Options {
	return speed.Options{
		Members: []int{1}, Loads: []string{"own", "one", "hosts"},
		Workers: []int{1, 4}, HostWorkers: []int{4},
		Warmup: 100 * time.Millisecond, Time: 400 * time.Millisecond, Rounds: 1,
		TTL: 15 * time.Second, Pause: systems.Pause{Min: time.Millisecond, Max: 5 * time.Millisecond},
		ReuseWorkers: 4, ReuseTime: time.Minute, QuietTime: 300 * time.Millisecond,
	}
}

func TestOptions(t *testing.T) {
	if err := short().Check(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		change func(o *speed.Options)
		says   string
	}{
		{func(o *speed.Options) { o.Systems = []string{"Chubby"} }, "no system Chubby"},
		{func(o *speed.Options) { o.Loads = []string{"all"} }, "no load all"},
		{func(o *speed.Options) { o.Members = []int{2} }, "no number of members 2"},
		{func(o *speed.Options) { o.Workers = []int{0} }, "0 workers"},
		{func(o *speed.Options) { o.HostWorkers = []int{1001} }, "1001 workers"},
		{func(o *speed.Options) { o.Rounds = 0 }, "0 rounds"},
		{func(o *speed.Options) { o.Time = 0 }, "some time"},
		{func(o *speed.Options) { o.TTL = 1500 * time.Millisecond }, "whole seconds"},
		{func(o *speed.Options) { o.Reuse = -1 }, "100 or more"},
		{func(o *speed.Options) { o.Reuse = 99 }, "100 or more"},
		{func(o *speed.Options) { o.ReuseWorkers = 0 }, "0 workers"},
		{func(o *speed.Options) { o.ReuseTime = 0 }, "some time"},
		{func(o *speed.Options) { o.Quiet = -1 }, "-1 quiet sessions"},
		{func(o *speed.Options) { o.Waiters = -1 }, "-1 waiters"},
		{func(o *speed.Options) { o.Quiet = 1e6 + 1 }, "up to a million"},
		{func(o *speed.Options) { o.QuietTime = 0 }, "some time"},
		{func(o *speed.Options) { o.Pause.Max = 0 }, "may not be less"},
	}
	for _, test := range tests {
		o := short()
		test.change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v, want %q", o, err, test.says)
		}
	}
}

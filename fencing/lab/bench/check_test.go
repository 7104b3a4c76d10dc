package bench_test

import (
	"testing"

	"lockside/fencing/lab/bench"
)

// A step is a grant, or the end of one if the fence is 0.
type step struct {
	worker int
	fence  int64
}

func TestChecker(t *testing.T) {
	const leave = 0
	tests := []struct {
		name     string
		unfenced bool
		steps    []step
		want     bench.Counts
		handOffs int
	}{
		{name: "in turns", steps: []step{{1, 5}, {1, leave}, {2, 7}, {2, leave}, {1, 8}, {1, leave}}, handOffs: 2},
		{name: "again and again", steps: []step{{1, 5}, {1, leave}, {1, 6}, {1, leave}}},
		{name: "two at once", steps: []step{{1, 5}, {2, 6}, {1, leave}, {2, leave}}, want: bench.Counts{Overlaps: 1}, handOffs: 1},
		{name: "three at once", steps: []step{{1, 5}, {2, 6}, {3, 7}}, want: bench.Counts{Overlaps: 2}, handOffs: 2},
		{name: "one left of two", steps: []step{{1, 5}, {2, 6}, {1, leave}, {3, 7}}, want: bench.Counts{Overlaps: 2}, handOffs: 2},
		{name: "the same fence twice", steps: []step{{1, 5}, {1, leave}, {2, 5}, {2, leave}}, want: bench.Counts{NotRising: 1}, handOffs: 1},
		{name: "below the greatest", steps: []step{{1, 9}, {1, leave}, {2, 5}, {2, leave}, {1, 7}, {1, leave}}, want: bench.Counts{NotRising: 2}, handOffs: 2},
		{name: "no fence where there should be one", steps: []step{{1, -1}}, want: bench.Counts{NotRising: 1}},
		{name: "no fences", unfenced: true, steps: []step{{1, -1}, {1, leave}, {2, -1}, {3, -1}}, want: bench.Counts{Overlaps: 1}, handOffs: 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := bench.NewChecker(!test.unfenced)
			handOffs := 0
			for _, s := range test.steps {
				if s.fence == leave {
					c.Leave()
				} else if c.Enter(s.worker, s.fence) {
					handOffs++
				}
			}
			if got := c.Counts(); got != test.want {
				t.Errorf("counted %+v, want %+v", got, test.want)
			}
			if handOffs != test.handOffs {
				t.Errorf("counted %d hand-offs, want %d", handOffs, test.handOffs)
			}
		})
	}
}

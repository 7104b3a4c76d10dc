package bench_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"lockside/fencing/lab/bench"
)

func TestSpread(t *testing.T) {
	upTo := func(n int) bench.Times {
		var all bench.Times
		for _, i := range rand.Perm(n) {
			all = append(all, time.Duration(i+1))
		}
		return all
	}
	tests := []struct {
		times bench.Times
		want  bench.Spread
	}{
		{nil, bench.Spread{}},
		{upTo(1), bench.Spread{P50: 1, P99: 1, Max: 1}},
		{upTo(2), bench.Spread{P50: 1, P99: 2, Max: 2}},
		{upTo(3), bench.Spread{P50: 2, P99: 3, Max: 3}},
		{upTo(100), bench.Spread{P50: 50, P99: 99, Max: 100}},
		{upTo(1000), bench.Spread{P50: 500, P99: 990, Max: 1000}},
		{bench.Times{7, 7, 7, 9}, bench.Spread{P50: 7, P99: 9, Max: 9}},
	}
	for _, test := range tests {
		n := len(test.times)
		if got := test.times.Spread(); got != test.want {
			t.Errorf("of %d times the spread is %+v, want %+v", n, got, test.want)
		}
	}
}

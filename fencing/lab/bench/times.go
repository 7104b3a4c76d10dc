package bench

import (
	"slices"
	"time"
)

// Times are how long something took, each time. All of them are kept, so that
// what is read from them is exact.
type Times []time.Duration

// Spread is what is told of times.
type Spread struct {
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
}

// Spread sorts the times and reads from them. Without times it is all zero.
func (t Times) Spread() Spread {
	if len(t) == 0 {
		return Spread{}
	}
	slices.Sort(t)
	return Spread{P50: t.at(50), P99: t.at(99), Max: t[len(t)-1]}
}

// at is the least time that so many percent of all do not exceed. The times are
// sorted.
func (t Times) at(percent int) time.Duration {
	rank := (len(t)*percent + 99) / 100 // from 1, rounded up
	return t[max(rank, 1)-1]
}

package bench

import (
	"maps"
	"slices"
	"time"
)

// A Result is what the samples of one load on one system say together.
type Result struct {
	Load    string `json:"load"` // own, one or hosts
	Workers int    `json:"workers"`
	Hosts   int    `json:"hosts"`

	Seconds  float64   `json:"seconds"` // measured, in all samples
	Cycles   int       `json:"cycles"`
	Rate     float64   `json:"cycles_per_second"`
	Rates    []float64 `json:"cycles_per_second_by_round"`
	HandOffs float64   `json:"hand_offs_per_second"`
	Cycle    Spread    `json:"cycle"`
	Acquire  Spread    `json:"acquire"` // its greatest counts waits cut short

	Least     float64   `json:"least_worker"`         // cycles of the one with the fewest, as a share of a fair one
	Most      float64   `json:"most_worker"`          // and with the most
	HostShare []float64 `json:"host_share,omitempty"` // of all cycles, with several hosts

	Overlaps  int            `json:"overlaps"`
	NotRising int            `json:"fences_not_rising"`
	Errors    map[string]int `json:"errors,omitempty"`
}

// Summarize joins the samples of a load, of which there is at least one.
func Summarize(load Load, samples []Sample) Result {
	r := Result{Load: load.Kind(), Workers: load.Workers, Hosts: load.Hosts, Errors: map[string]int{}}
	var cycles, acquires Times
	var unfinished time.Duration
	handOffs, perHost, perWorker := 0, make([]int, load.Hosts), make([]int, load.Workers)
	for _, s := range samples {
		r.Seconds += s.Time.Seconds()
		r.Rates = append(r.Rates, float64(len(s.Cycles))/s.Time.Seconds())
		cycles, acquires = append(cycles, s.Cycles...), append(acquires, s.Acquires...)
		handOffs += s.HandOffs
		unfinished = max(unfinished, s.Unfinished)
		add(perHost, s.PerHost)
		add(perWorker, s.PerWorker)
		r.Overlaps += s.Overlaps
		r.NotRising += s.NotRising
		for text, n := range s.Errors {
			r.Errors[text] += n
		}
	}
	r.Cycles = len(cycles)
	r.Rate, r.HandOffs = float64(r.Cycles)/r.Seconds, float64(handOffs)/r.Seconds
	r.Cycle, r.Acquire = cycles.Spread(), acquires.Spread()
	r.Acquire.Max = max(r.Acquire.Max, unfinished)
	r.Least, r.Most = share(slices.Min(perWorker), r.Cycles)*float64(load.Workers), share(slices.Max(perWorker), r.Cycles)*float64(load.Workers)
	if load.Hosts > 1 {
		for _, n := range perHost {
			r.HostShare = append(r.HostShare, share(n, r.Cycles))
		}
	}
	return r
}

// ErrorCount is how many errors the workers had.
func (r Result) ErrorCount() int { return Sum(r.Errors) }

// Sum is how many there are of all texts together.
func Sum(counts map[string]int) int {
	n := 0
	for count := range maps.Values(counts) {
		n += count
	}
	return n
}

func add(sums, more []int) {
	for i, n := range more {
		sums[i] += n
	}
}

func share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

package timeline

import (
	"strconv"
	"time"
)

// apart is how far it is at least from one event to the next. Time is stretched
// where they are closer: what matters may all happen in a few milliseconds.
const apart = 26

// An axis gives moments a place.
type axis struct {
	at []time.Duration // the beginning, and each event
	x  []int
}

// newAxis places events in so much room, or in more if it is too little.
func newAxis(events []Event, left, room int) axis {
	at := []time.Duration{0}
	for _, e := range events {
		at = append(at, e.At)
	}
	low, high := 0.0, float64(room)*1e9 // pixels a second
	for range 60 {
		if middle := (low + high) / 2; spread(at, left, middle).end() > left+room {
			high = middle
		} else {
			low = middle
		}
	}
	return spread(at, left, low)
}

func spread(at []time.Duration, left int, perSecond float64) axis {
	a := axis{at: at, x: []int{left}}
	for i := 1; i < len(at); i++ {
		width := max(apart, int(perSecond*(at[i]-at[i-1]).Seconds()))
		a.x = append(a.x, a.x[i-1]+width)
	}
	return a
}

// event is where an event is, or where it ends after the last one.
func (a axis) event(i int) int {
	if i+1 < len(a.x) {
		return a.x[i+1]
	}
	return a.end() + apart
}

func (a axis) end() int { return a.x[len(a.x)-1] }

// moment is where a time between the beginning and the last event is.
func (a axis) moment(t time.Duration) int {
	for i := 1; i < len(a.at); i++ {
		if from, to := a.at[i-1], a.at[i]; t <= to && from < to {
			return a.x[i-1] + int(float64(a.x[i]-a.x[i-1])*float64(t-from)/float64(to-from))
		}
	}
	return a.end()
}

// A tick is a time that is written at the axis.
type tick struct {
	x    int
	text string
}

// ticks are at times that are easy to read, some ten of them.
func (a axis) ticks() []tick {
	last := a.at[len(a.at)-1]
	step := niceStep(last)
	var all []tick
	for t := time.Duration(0); t <= last; t += step {
		all = append(all, tick{a.moment(t), strconv.FormatFloat(t.Seconds(), 'f', -1, 64)})
	}
	return all
}

// niceStep divides a time into at most twelve steps of 1, 2 or 5 in a decimal
// place.
func niceStep(whole time.Duration) time.Duration {
	for unit := time.Microsecond; ; unit *= 10 {
		for _, step := range []time.Duration{unit, 2 * unit, 5 * unit} {
			if whole <= 12*step {
				return step
			}
		}
	}
}

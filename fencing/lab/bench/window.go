package bench

import (
	"sync/atomic"
	"time"
)

// A window is the measured time, once all workers are ready. It ends when its
// time is over or, if their number is bounded, with the last cycle that it has
// room for.
type window struct {
	from, to time.Time
	most     int64  // cycles, 0 for any number
	full     func() // called once there are so many

	admitted atomic.Int64
}

// admits reports whether a cycle that ended at t counts.
func (w *window) admits(t time.Time) bool {
	if t.Before(w.from) || !t.Before(w.to) {
		return false
	}
	n := w.admitted.Add(1)
	if n == w.most {
		w.full()
	}
	return w.most == 0 || n <= w.most
}

// A cycle is one that counts.
type cycle struct {
	end            time.Time
	acquire, whole time.Duration
}

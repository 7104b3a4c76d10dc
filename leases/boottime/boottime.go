// Package boottime reads CLOCK_BOOTTIME and waits on it.
//
// Every deadline of lockside is a moment on this clock. CLOCK_BOOTTIME counts
// on while the host is suspended, as etcd's clock on another host does, and no
// step of the wall clock moves it. Go's own monotonic clock is CLOCK_MONOTONIC,
// which stands still during a suspend, so time.Time and time.Timer must not
// carry a deadline. See clock_gettime(2) and timerfd_create(2).
package boottime

import "time"

// Clock tells the time since boot. Tests put their own in its place to make
// the clock jump as a suspended host's does.
type Clock interface {
	// Now is the time since boot, suspends included.
	Now() time.Duration

	// NewAlarm makes an alarm on this clock, not yet set.
	NewAlarm() (Alarm, error)
}

// Alarm rings once the clock has reached the moment it was set to.
type Alarm interface {
	// Set moves the alarm to a moment since boot, replacing the one before.
	// A moment that has passed rings at once; zero or less silences it.
	Set(at time.Duration)

	// C receives when the alarm rings. A ring that nobody took is kept, one
	// at most, so a receiver must look at the clock itself.
	C() <-chan struct{}

	// Close silences the alarm and waits for its goroutine.
	Close() error
}

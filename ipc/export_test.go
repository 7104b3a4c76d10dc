package ipc

import "time"

// WithClock puts a test's clock in the place of CLOCK_BOOTTIME.
func WithClock(now func() time.Duration) DialOption {
	return func(c *Client) { c.clock = now }
}

// CancelGrace is how long a Lock may outlive its context.
const CancelGrace = cancelGrace

// Tick is how soon a passed deadline is seen.
const Tick = tick

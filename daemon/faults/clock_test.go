package faults_test

import (
	"slices"
	"sync"
	"time"

	"lockside/leases/boottime"
)

// A jumpingClock is CLOCK_BOOTTIME on a host that can be suspended: a jump is
// what the clock shows of it.
type jumpingClock struct {
	deaf bool // alarms do not notice jumps, as if the daemon had not run since

	mu     sync.Mutex // guards what follows
	offset time.Duration
	alarms []*jumpingAlarm
}

type jumpingAlarm struct {
	boottime.Alarm
	clock *jumpingClock
	at    time.Duration // guarded by clock.mu
}

var _ boottime.Clock = (*jumpingClock)(nil)

func (c *jumpingClock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return now() + c.offset
}

func (c *jumpingClock) NewAlarm() (boottime.Alarm, error) {
	alarm, err := boottime.System{}.NewAlarm()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &jumpingAlarm{Alarm: alarm, clock: c}
	c.alarms = append(c.alarms, a)
	return a, nil
}

// jump moves the clock forward, and the alarms with it.
func (c *jumpingClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
	if c.deaf {
		return
	}
	for _, a := range c.alarms {
		a.setLocked()
	}
}

func (a *jumpingAlarm) Set(at time.Duration) {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	a.at = at
	a.setLocked()
}

// setLocked sets the kernel's alarm to the moment on its own clock.
func (a *jumpingAlarm) setLocked() {
	if a.at <= 0 {
		a.Alarm.Set(0)
		return
	}
	a.Alarm.Set(max(a.at-a.clock.offset, 1))
}

func (a *jumpingAlarm) Close() error {
	a.clock.mu.Lock()
	a.clock.alarms = slices.DeleteFunc(a.clock.alarms, func(o *jumpingAlarm) bool { return o == a })
	a.clock.mu.Unlock()
	return a.Alarm.Close()
}

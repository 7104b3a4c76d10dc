package leases_test

import (
	"sync/atomic"
	"testing"
	"time"

	"lockside/leases"
	"lockside/leases/boottime"
	"lockside/leases/core"
	"lockside/leases/etcd"
	"lockside/leases/etcdtest"
)

// jumpyClock is the boot clock moved ahead, with alarms that must not be set
// once they are closed.
type jumpyClock struct {
	boottime.System
	t     *testing.T
	ahead atomic.Int64
}

func (c *jumpyClock) Now() time.Duration {
	return c.System.Now() + time.Duration(c.ahead.Load())
}

func (c *jumpyClock) NewAlarm() (boottime.Alarm, error) {
	a, err := c.System.NewAlarm()
	return &strictAlarm{Alarm: a, clock: c}, err
}

type strictAlarm struct {
	boottime.Alarm
	clock  *jumpyClock
	closed atomic.Bool
}

func (a *strictAlarm) Set(at time.Duration) {
	if a.closed.Load() {
		a.clock.t.Error("a closed alarm is set")
		return
	}
	a.Alarm.Set(at - time.Duration(a.clock.ahead.Load()))
}

func (a *strictAlarm) Close() error {
	a.closed.Store(true)
	return a.Alarm.Close()
}

// TestNothingHappensAfterClose: sessions may be ended later than the Service,
// with something still to be done at some time.
func TestNothingHappensAfterClose(t *testing.T) {
	server := etcdtest.Start(t)
	clock := &jumpyClock{t: t}
	s, err := leases.Open(leases.Config{
		Etcd:     etcd.Config{Endpoints: []string{server.Endpoint}},
		Core:     core.Config{Prefix: "lockside/", WatchDelay: time.Millisecond, WatchLinger: time.Hour},
		StateDir: t.TempDir(),
		Clock:    clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	early, _, _ := lock(t, s, "a")
	late, _, _ := lock(t, s, "b")
	for s.Status().Locks.Watches < 2 {
		time.Sleep(time.Millisecond)
	}
	early.End()
	awaitQueue(t, s, "a", 0)
	s.Tick()
	released := clock.Now()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock.ahead.Add(int64(released + time.Hour - clock.Now()))
	late.End()
}

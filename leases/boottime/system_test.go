package boottime_test

import (
	"testing"
	"time"

	"lockside/leases/boottime"
)

func TestAlarmRingsAtItsMomentAndNotBefore(t *testing.T) {
	clock := boottime.System{}
	alarm, err := clock.NewAlarm()
	if err != nil {
		t.Fatal(err)
	}
	at := clock.Now() + 20*time.Millisecond
	alarm.Set(at)
	<-alarm.C()
	if now := clock.Now(); now < at {
		t.Errorf("rang at %v, set to %v", now, at)
	}
	alarm.Set(clock.Now() - time.Second)
	<-alarm.C() // a moment that has passed rings at once
	alarm.Set(clock.Now() + time.Hour)
	alarm.Set(0)
	if err := alarm.Close(); err != nil {
		t.Error(err)
	}
}

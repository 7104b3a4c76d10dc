package boottime

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// System is the kernel's CLOCK_BOOTTIME.
type System struct{}

var _ Clock = System{}

// Now reads CLOCK_BOOTTIME. The call cannot fail on Linux 2.6.39 or later.
func (System) Now() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic(fmt.Sprintf("read CLOCK_BOOTTIME: %v", err))
	}
	return time.Duration(ts.Nano())
}

// NewAlarm makes an alarm on a timerfd, which rings as soon as a suspended
// host wakes up past its moment.
func (System) NewAlarm() (Alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create timerfd: %w", err)
	}
	a := &systemAlarm{
		fd:   fd,
		file: os.NewFile(uintptr(fd), "timerfd"),
		ring: make(chan struct{}, 1),
	}
	a.wait.Go(a.read)
	return a, nil
}

type systemAlarm struct {
	fd   int
	file *os.File
	ring chan struct{}
	wait sync.WaitGroup
}

func (a *systemAlarm) Set(at time.Duration) {
	spec := unix.ItimerSpec{}
	if at > 0 {
		spec.Value = unix.NsecToTimespec(int64(at))
	}
	if err := unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		panic(fmt.Sprintf("set timerfd: %v", err))
	}
}

func (a *systemAlarm) C() <-chan struct{} { return a.ring }

// read turns each expiry into a ring. Close ends it by closing the file.
func (a *systemAlarm) read() {
	var expiries [8]byte
	for {
		if _, err := a.file.Read(expiries[:]); err != nil {
			return
		}
		select {
		case a.ring <- struct{}{}:
		default:
		}
	}
}

func (a *systemAlarm) Close() error {
	err := a.file.Close()
	a.wait.Wait()
	return err
}

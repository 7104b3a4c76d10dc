package ipc

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// bootTime reads CLOCK_BOOTTIME, which counts on while the host is suspended;
// see clock_gettime(2). Go's own timers stand still then, so a deadline must
// not hang on them.
func bootTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic(fmt.Sprintf("read CLOCK_BOOTTIME: %v", err))
	}
	return time.Duration(ts.Nano())
}

package ipc

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// closeEnough is how long a HELLO may take for its answer to tell whether the
// daemon reads the same clock. It is less than any margin.
const closeEnough = 100 * time.Millisecond

// compareClocks learns from the answer to HELLO whether the daemon's moments can be
// compared with this process's clock. They cannot in a time namespace, whose
// CLOCK_BOOTTIME is shifted; see time_namespaces(7).
func (c *conn) compareClocks(hello *call) {
	now := c.clock()
	theirs, told := hello.last().Lookup("clock")
	clock, ok := parseDuration(theirs)
	c.shared = told && ok && now-hello.sent < closeEnough &&
		clock > hello.sent-time.Millisecond && clock <= now // it is rounded down
}

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

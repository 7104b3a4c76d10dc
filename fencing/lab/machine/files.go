package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// AllowFiles lets this process have as many open files as the hard limit
// allows, and returns how many that are. Servers raise theirs by themselves:
// those in Go as they start.
func AllowFiles() (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	if limit.Cur < limit.Max {
		limit.Cur = limit.Max
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return 0, fmt.Errorf("raise the limit of open files: %w", err)
		}
	}
	return int(min(limit.Cur, 1<<30)), nil
}

package machine

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// syncTimes appends blocks to a file and syncs each, as servers do to a log.
func syncTimes(dir string, during time.Duration) (p50, p99 time.Duration, err error) {
	file, err := os.CreateTemp(dir, "sync")
	if err != nil {
		return 0, 0, fmt.Errorf("measure how long a sync takes: %w", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	var times []time.Duration
	for begin := time.Now(); time.Since(begin) < during; {
		start := time.Now()
		if err := appendBlock(file); err != nil {
			return 0, 0, fmt.Errorf("measure how long a sync takes: %w", err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*99/100], nil
}

func appendBlock(file *os.File) error {
	if _, err := file.Write(make([]byte, 4096)); err != nil {
		return err
	}
	return unix.Fdatasync(int(file.Fd()))
}

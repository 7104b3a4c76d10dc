package durable

import (
	"context"
	"fmt"
	"os"
	"time"
)

// How often a lock that another process has is asked for again.
const (
	firstPause = time.Millisecond
	lastPause  = 32 * time.Millisecond
)

// Lock takes the lock that a file stands for, and makes the file. Nobody else has
// it until unlock: no other process, and no other caller in this one. A process
// that dies gives it up; one that is stopped keeps it. It is flock(2), which is
// left to whoever asks at the right moment: waiting is in no order.
//
// It waits until the context ends, whose error it then is. Where there is no flock,
// which is on Windows, the error is [errors.ErrUnsupported].
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("open a lock: %w", err)
	}
	if err := flock(ctx, file); err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil // which unlocks
}

// flock asks again and again, since a wait in flock(2) ends with no context.
func flock(ctx context.Context, file *os.File) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if taken, err := tryFlock(file); taken || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

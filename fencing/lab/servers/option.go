package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// An Option changes how one server of several is run.
type Option func(i int, c *command) error

func apply(commands []command, options []Option) error {
	for _, option := range options {
		for i := range commands {
			if err := option(i, &commands[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// WithArgs gives each server more arguments.
func WithArgs(args ...string) Option {
	return func(_ int, c *command) error {
		c.args = append(c.args, args...)
		return nil
	}
}

// ClockVariable names the file of the clock in the environment of programs that
// [Programs.BuildStepped] made.
const ClockVariable = "LOCKSIDE_LAB_CLOCK"

// WithClock gives each server a wall clock of its own, which StepClock steps.
// Monotonic clocks stay as they are. The library is libfaketime, for programs
// that are linked to the C library; see its README. The C library is named behind
// it for its malloc: jemalloc's asks for the time before libfaketime can tell it.
// Programs without the library look at the file themselves.
func WithClock(library string) Option {
	return func(_ int, c *command) error {
		file := c.clock()
		if library != "" {
			c.env = append(c.env, "LD_PRELOAD="+library+":libc.so.6", "FAKETIME_TIMESTAMP_FILE="+file, "FAKETIME_NO_CACHE=1",
				"FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1",
				"FAKETIME_FORCE_MONOTONIC_FIX=0") // Java waits by the monotonic clock, which is as it should be
		}
		c.env = append(c.env, ClockVariable+"="+file)
		return writeClock(file, 0)
	}
}

func (c command) clock() string { return filepath.Join(c.dir, "clock") }

// StepClock has the wall clock of the server of that number differ by so much
// from that of the host, in whole seconds.
func (g group) StepClock(i int, by time.Duration) error { return writeClock(g[i].clock(), by) }

// writeClock replaces the file, so that nobody reads half of it.
func writeClock(file string, by time.Duration) error {
	text := fmt.Sprintf("%+d\n", int64(by/time.Second))
	if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
		return fmt.Errorf("set a server's clock: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fmt.Errorf("set a server's clock: %w", err)
	}
	return nil
}

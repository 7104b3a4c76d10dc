package faults_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lockside/leases/etcdtest"
)

// TestAnotherBoot: CLOCK_BOOTTIME begins anew at each boot, so to a daemon that is
// started again it may have jumped either way. What the last run left is given
// back at once, and leases are renewed by the new clock.
func TestAnotherBoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, to make time namespaces")
	}
	server := etcdtest.Start(t)
	h, other := newHost(t, "booted", server.Endpoint), startHost(t, "b", server.Endpoint)
	h.config.TTL = longTTL
	var last *client // waits for what the last run left
	for _, boot := range []time.Duration{0, 24 * time.Hour, -now() / 2, 0} {
		h.boot = boot.Truncate(time.Second)
		process := h.startDaemon(t)
		if last != nil {
			last.granted()
			last.hangUp()
		}
		hello, _ := h.dial(t).ask("HELLO")
		if ahead := hello.Fields.Duration("clock") - now(); (ahead - h.boot).Abs() > atOnce {
			t.Skipf("the daemon's clock is ahead by %v, want %v: before Linux 6.1 it changes with a fork alone", ahead, h.boot)
		}
		h.lock(t, "left")
		last = other.wait(t, "left")
		holder, held := h.lock(t, fmt.Sprintf("nightly ttl=%v", ttl))
		waiter := other.wait(t, "nightly")
		for end := now() + ttl + ttl/2; now() < end; {
			if left := holder.check("nightly", held); left <= 0 || left > ttl-margin {
				t.Errorf("CHECK tells of %v left", left)
			}
			waiter.stillOpen(ttl / 20)
		}
		holder.hangUp()
		waiter.granted()
		waiter.hangUp()
		process.kill()
	}
}

// enterBoot takes this process into a time namespace if it was started for one,
// by starting it anew: only then do clocks change.
func enterBoot() {
	seconds, ok := os.LookupEnv(bootVariable)
	if !ok {
		return
	}
	runtime.LockOSThread()
	var err error
	if unix.Gettid() == unix.Getpid() { // the offsets are those of the first thread
		os.Unsetenv(bootVariable)
		if err = unix.Unshare(unix.CLONE_NEWTIME); err == nil {
			err = os.WriteFile("/proc/self/timens_offsets", []byte("boottime "+seconds+" 0\n"), 0)
		}
	}
	if err == nil {
		err = unix.Exec("/proc/self/exe", os.Args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "enter a time namespace:", err)
	os.Exit(1)
}

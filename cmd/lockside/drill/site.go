package drill

import (
	"context"
	"fmt"
	"time"

	"lockside/ipc"
)

// A site is where the holders take the lock. Its words complete the sentences that
// the drill tells.
type site interface {
	place() string

	// sockets are those of the daemons of the first and the second holder.
	sockets() (first, second string)

	// pause stops the first holder, and what stands still with it.
	pause(first *holder) (done string, err error)

	// why is why the second holder is not granted the lock then.
	why() string

	// pass lets the lock pass on to the second holder: what it did for that, if
	// it did anything, and in what time the lock passes.
	pass(first *holder) (done string, within time.Duration, err error)

	// wake has everything go on that pause has stopped.
	wake(first *holder) error

	// settle waits until the holders have left nothing behind.
	settle(ctx context.Context, name string, holders []*holder)

	close()
}

// ownDaemon is the daemon of the user's host. A drill cannot stop that, since
// others hold locks there.
type ownDaemon struct{ socket string }

func (d ownDaemon) place() string { return "of the daemon at " + d.socket }

func (d ownDaemon) sockets() (first, second string) { return d.socket, d.socket }

func (d ownDaemon) pause(first *holder) (string, error) {
	return "is stopped (SIGSTOP) before it writes", first.process.stop()
}

func (d ownDaemon) why() string {
	return "the first is connected, and its daemon keeps the lock"
}

func (d ownDaemon) pass(first *holder) (string, time.Duration, error) {
	return "ends the first's connection to the daemon, as a restart of the daemon would", passTimeout, first.cut()
}

func (d ownDaemon) wake(first *holder) error { return first.process.goOn() }

func (d ownDaemon) close() {}

// How long a lock takes to pass on when nothing is in its way but etcd; how long the
// drill waits for the entries of holders that it has ended, and how often it looks.
const (
	passTimeout   = 10 * time.Second
	settleTimeout = 5 * time.Second
	settlePause   = 20 * time.Millisecond
)

// settle asks the daemon who is in the queue, until none of the holders is: the
// daemon has read end-of-file by then, and etcd has confirmed.
func (d ownDaemon) settle(ctx context.Context, name string, holders []*holder) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	client, err := ipc.Dial(ctx, d.socket)
	if err != nil {
		return // Without the daemon there is nothing of theirs.
	}
	defer client.Close()
	ours := func(e ipc.Entry) bool {
		for _, h := range holders {
			if e.Host == client.Host() && e.PID == h.process.cmd.Process.Pid {
				return true
			}
		}
		return false
	}
	for ctx.Err() == nil {
		queue, err := client.Who(ctx, name)
		left := 0
		for _, e := range queue {
			if ours(e) {
				left++
			}
		}
		if err == nil && left == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(settlePause):
		}
	}
}

// twoHosts are two daemons of the drill's own. The etcd is in the second, so that it
// goes on while the first stands still.
type twoHosts struct {
	first, second *daemon
	ttl           time.Duration
}

func (t *twoHosts) place() string { return "of two daemons and an etcd of the drill's own" }

func (t *twoHosts) sockets() (first, second string) { return t.first.socket, t.second.socket }

func (t *twoHosts) pause(first *holder) (string, error) {
	const done = "is stopped (SIGSTOP) before it writes, with its daemon, as a host is suspended"
	if err := t.first.process.stop(); err != nil {
		return "", err
	}
	return done, first.process.stop()
}

func (t *twoHosts) why() string { return "the first's lease runs on in etcd" }

// pass waits for nothing but the lease's end: some time after its TTL, since etcd
// looks for such leases twice a second.
func (t *twoHosts) pass(*holder) (string, time.Duration, error) {
	return "", 2*t.ttl + passTimeout, nil
}

// wake wakes the holder first, which does not wait for its daemon.
func (t *twoHosts) wake(first *holder) error {
	if err := first.process.goOn(); err != nil {
		return fmt.Errorf("go on: %w", err)
	}
	return t.first.process.goOn()
}

func (t *twoHosts) settle(context.Context, string, []*holder) {} // It all ends with the etcd.

func (t *twoHosts) close() {
	for _, d := range []*daemon{t.first, t.second} {
		if d != nil {
			d.process.kill()
		}
	}
}

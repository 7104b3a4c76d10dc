package systemd

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"
)

// A Notifier tells systemd the states of the service, sd_notify(3). Nil tells nobody.
// What cannot be told is logged and costs nothing else.
type Notifier struct{ log *slog.Logger }

// NewNotifier is nil if systemd does not want to be told, or is not there.
func NewNotifier(log *slog.Logger) *Notifier {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return nil
	}
	return &Notifier{log}
}

// States are told even to a systemd that is busy for a while, as when it reads its units
// anew; what will be told again is not waited for as long, since a lock may wait for it.
const (
	patient   = 5 * time.Second
	impatient = 100 * time.Millisecond
)

// Ready says that clients are served, for the first time or after Reloading.
func (n *Notifier) Ready() { n.tell(patient, daemon.SdNotifyReady) }

// Reloading says that clients are not served until Ready.
func (n *Notifier) Reloading() {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // a clock that there is
	n.tell(patient, daemon.SdNotifyReloading, fmt.Sprintf("MONOTONIC_USEC=%d", time.Duration(now.Nano()).Microseconds()))
}

// Stopping says that the service ends.
func (n *Notifier) Stopping() { n.tell(patient, daemon.SdNotifyStopping) }

// Status says in a line how the service is, for systemctl status.
func (n *Notifier) Status(line string) { n.tell(impatient, "STATUS="+line) }

// Alive feeds the watchdog.
func (n *Notifier) Alive() { n.tell(impatient, daemon.SdNotifyWatchdog) }

// Patience has the watchdog bite when it was not fed for so long.
func (n *Notifier) Patience(d time.Duration) {
	n.tell(impatient, fmt.Sprintf("WATCHDOG_USEC=%d", d.Microseconds()))
}

func (n *Notifier) tell(wait time.Duration, states ...string) {
	if n == nil {
		return
	}
	if err := send(strings.Join(states, "\n"), wait); err != nil {
		n.log.Warn("Systemd not told", "states", states, "error", err)
	}
}

// send is sd_notify(3). That of go-systemd waits for ever while systemd's queue is full.
func send(text string, wait time.Duration) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: os.Getenv("NOTIFY_SOCKET"), Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetWriteDeadline(time.Now().Add(wait)); err != nil {
		return err
	}
	_, err = conn.Write([]byte(text))
	return err
}

// Watchdog is how long systemd waits at most between two signs of life, WatchdogSec= of
// the unit, and zero if it does not watch this process.
func Watchdog() time.Duration {
	d, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return 0 // it is meant for no process that we know of
	}
	return d
}

package child

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A message is one packet between supervisor and guard: a verb and a number.
type message struct {
	verb string
	n    int
}

// What the supervisor asks of the guard.
const (
	askSignal = "signal" // pass signal n on to the command's process group
	askEnd    = "end"    // TERM to the whole tree, KILL n nanoseconds later
	askFreeze = "freeze" // stop all of the tree that still runs
	askThaw   = "thaw"   // continue what freeze stopped
)

// What the guard tells the supervisor.
const (
	tellStarted = "started" // the command runs; n is its pid and process group
	tellRefused = "refused" // execve(2) gave the error number n
	tellStopped = "stopped" // signal n stopped the command
	tellEnded   = "ended"   // the command ended with the wait status n
	tellFrozen  = "frozen"  // freeze is done
	tellGone    = "gone"    // no process of the tree is left
)

// control is one end of the socket between supervisor and guard.
type control struct {
	file *os.File
}

// newControl makes both ends, close-on-exec as every file of ours. Packets
// keep messages apart.
func newControl() (ours, guards control, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX,
		unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return control{}, control{}, fmt.Errorf("create control socket: %w", err)
	}
	return openControl(fds[0]), openControl(fds[1]), nil
}

func openControl(fd int) control {
	return control{os.NewFile(uintptr(fd), "control")}
}

func (c control) send(verb string, n int) error {
	_, err := fmt.Fprintf(c.file, "%s %d", verb, n)
	return err
}

func (c control) receive() (message, error) {
	var packet [64]byte
	size, err := c.file.Read(packet[:])
	if err != nil {
		return message{}, err
	}
	verb, number, _ := strings.Cut(string(packet[:size]), " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return message{}, fmt.Errorf("read control message %q: %w", packet[:size], err)
	}
	return message{verb, n}, nil
}

// listen hands on what arrives until the other end, or this one, is closed.
func (c control) listen(messages chan<- message) {
	defer close(messages)
	for {
		m, err := c.receive()
		if err != nil {
			return
		}
		messages <- m
	}
}

var _ io.Closer = control{}

func (c control) Close() error { return c.file.Close() }

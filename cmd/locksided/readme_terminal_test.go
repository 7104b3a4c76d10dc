package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// How long something that must come may take: usually, and while Go builds a
// program.
const (
	patience = 30 * time.Second
	building = 4 * time.Minute
)

// prompt is what the shell shows when it wants a command.
const prompt = "$ "

// A terminal is a pseudo-terminal with a shell at it. Its screen shows what is
// typed, as a real one does.
type terminal struct {
	t      testing.TB
	master *os.File
	shown  chan string // what the screen shows, as it comes; closed at the end
	screen string      // what was shown and not read yet
}

// newTerminal starts a shell. The end of the test hangs up.
func newTerminal(t testing.TB, dir string, environ []string) *terminal {
	t.Helper()
	master, slave, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	shell := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i")
	shell.Dir = dir
	shell.Env = append(environ, "PS1="+prompt, "TERM=dumb", "HISTFILE=")
	shell.Stdin, shell.Stdout, shell.Stderr = slave, slave, slave
	shell.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	c := &terminal{t: t, master: master, shown: make(chan string, 64)}
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { c.read(done) })
	t.Cleanup(func() {
		close(done)
		_ = master.Close() // the shell and all that it runs are hung up on
		_ = shell.Wait()
		reader.Wait()
	})
	return c
}

// openTerminal opens both sides of a pseudo-terminal; see pts(4).
func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open terminal: %w", err)
	}
	raw, err := master.SyscallConn() // Fd would make Close wait for a Read
	if err != nil {
		return nil, nil, fmt.Errorf("open terminal: %w", err)
	}
	var number int
	var failed error
	err = raw.Control(func(fd uintptr) {
		if failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); failed == nil {
			number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
			failed = errors.Join(failed, unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 100}))
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, nil, fmt.Errorf("unlock terminal: %w", err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, err
}

// read passes on what the screen shows until the shell or the test has ended.
func (c *terminal) read(done <-chan struct{}) {
	defer close(c.shown)
	buffer := make([]byte, 4096)
	for {
		n, err := c.master.Read(buffer)
		if err != nil {
			return
		}
		select {
		case c.shown <- string(buffer[:n]):
		case <-done:
			return
		}
	}
}

// press types keys.
func (c *terminal) press(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// line takes the first whole line off the screen, if there is one. Empty ones
// do not count: the shell sends one after ^C.
func (c *terminal) line() (string, bool) {
	for {
		line, rest, whole := strings.Cut(c.screen, "\r\n")
		if !whole {
			return "", false
		}
		c.screen = rest
		if line = visible(line); line != "" {
			return line, true
		}
	}
}

// unfinished is the line that has not ended, such as the prompt.
func (c *terminal) unfinished() string { return visible(c.screen) }

// visible is what stays of a line that is written over.
func visible(line string) string {
	const erase = "\r\x1b[K"
	return line[strings.LastIndex(erase+line, erase):]
}

// more waits until the screen shows more. It is false when patience, a timer's
// channel, is at its end, or the shell has ended.
func (c *terminal) more(patience <-chan time.Time) bool {
	select {
	case text, ok := <-c.shown:
		c.screen += text
		return ok
	case <-patience:
		return false
	}
}

package child_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A console is a pseudo-terminal with a shell at it that knows job control.
type console struct {
	t      *testing.T
	master *os.File

	mu     sync.Mutex // guards what follows
	screen string     // what has been shown and not yet been expected
}

// newConsole starts a shell. It shows "? " as its prompt, and has a function
// "run" which stands for the supervisor.
func newConsole(t *testing.T, settings ...string) *console {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := openSlave(master)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "announce")
	if err := os.WriteFile(script, []byte(announce), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-i")
	cmd.Env = append(os.Environ(), "PS1=? ", "ENV=", "SUPERVISOR="+executable, "ANNOUNCE="+script)
	cmd.Env = append(cmd.Env, settings...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, master: master}
	var wg sync.WaitGroup
	wg.Go(c.read)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		master.Close()
		wg.Wait()
		if t.Failed() {
			t.Logf("the rest of the screen: %q", c.screen)
		}
	})
	c.want("? ")
	c.enter(`run() { "$SUPERVISOR" supervise "$@"; }`)
	c.want("? ")
	return c
}

// openSlave opens the other side of a pseudo-terminal, see pts(4).
func openSlave(master *os.File) (*os.File, error) {
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, fmt.Errorf("unlock the terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, fmt.Errorf("get the terminal's number: %w", err)
	}
	return os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
}

func (c *console) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := c.master.Read(buffer)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.screen += string(buffer[:n])
		c.mu.Unlock()
	}
}

// press types keys, ^C and ^Z among them.
func (c *console) press(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// enter types a line, and skips its echo.
func (c *console) enter(line string) {
	c.t.Helper()
	c.press(line + "\n")
	c.want(line + "\r\n")
}

// want waits until a text is shown, and returns what came before it.
func (c *console) want(text string) string {
	c.t.Helper()
	var before string
	eventually(c.t, func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		var found bool
		if before, c.screen, found = cut(c.screen, text); !found {
			return fmt.Errorf("the screen shows %q, want %q", c.screen, text)
		}
		return nil
	})
	return before
}

// cut is strings.Cut, but what is not found stays behind the cut.
func cut(s, sep string) (before, after string, found bool) {
	if before, after, found = strings.Cut(s, sep); !found {
		return "", s, false
	}
	return before, after, true
}

// wantProcess waits for a line "process N" and holds on to that process.
func (c *console) wantProcess() watched {
	c.t.Helper()
	c.want("process ")
	var pid int
	if _, err := fmt.Sscan(c.want("\r\n"), &pid); err != nil {
		c.t.Fatal(err)
	}
	return watch(c.t, pid)
}

// where tells whether the shell's process group has the terminal.
const where = `[ $(cut -d" " -f5 /proc/$$/stat) = $(cut -d" " -f8 /proc/$$/stat) ] && echo front || echo back`

// announce is what commands run first, as ". $ANNOUNCE": it tells of the
// process once that has the terminal. A key pressed before is another's.
const announce = `until [ "$(` + where + `)" = front ]; do sleep 0.01; done; echo process $$`

// wantFront waits until the process's group has the terminal.
func (c *console) wantFront(leader watched) {
	c.t.Helper()
	eventually(c.t, func() error {
		group, err := unix.IoctlGetInt(int(c.master.Fd()), unix.TIOCGPGRP)
		if err == nil && group != leader.pid {
			return fmt.Errorf("group %d is in the foreground, want %d", group, leader.pid)
		}
		return err
	})
}

func TestCommandHasTheTerminalAndGivesItBack(t *testing.T) {
	c := newConsole(t)
	c.enter(`run sh -c 'sleep 0.1; ` + where + `; read line; echo "read $line"'; ` + where)
	c.want("front\r\n")
	c.enter("some text")
	c.want("read some text\r\n")
	c.want("front\r\n? ") // the shell itself
}

func TestInterruptAtTheTerminal(t *testing.T) {
	c := newConsole(t, "SUPERVISE_INTERRUPT=1")
	c.enter(`run sh -c '. $ANNOUNCE; read line'`) // nothing forks: dash loses a ^C that comes in its vfork
	c.wantProcess()
	c.press("\x03")
	c.want("? ")
	c.enter("echo code $?")
	c.want("code 130\r\n")
}

func TestInterruptStopsAScript(t *testing.T) {
	c := newConsole(t, "SUPERVISE_INTERRUPT=1")
	c.enter(`sh -c '"$SUPERVISOR" supervise sh -c ". $ANNOUNCE; read line"; echo goes on'; echo code $?`)
	c.wantProcess()
	c.press("\x03")
	if shown := c.want("? "); strings.Contains(shown, "goes on") {
		t.Errorf("the script went on after ^C: %q", shown)
	}
}

func TestStopAndContinue(t *testing.T) {
	c := newConsole(t)
	c.enter(`run sh -c '. $ANNOUNCE; setsid sh -c "echo process \$\$; exec sleep 1000" & read line; echo "read $line"'`)
	c.wantProcess()
	apart := c.wantProcess()
	c.press("\x1a")
	c.want("Stopped")
	c.want("? ")
	apart.wantState("T")
	c.enter("echo shell is back; fg")
	c.want("shell is back\r\n")
	apart.wantState("SR")
	c.enter("and on")
	c.want("read and on\r\n")
	c.want("? ")
}

func TestStopOfAScript(t *testing.T) {
	c := newConsole(t)
	c.enter(`sh -c '"$SUPERVISOR" supervise sh -c ". $ANNOUNCE; read line; echo read \$line"; echo after'`)
	c.wantProcess()
	c.press("\x1a")
	c.want("Stopped")
	c.want("? ")
	c.enter("fg")
	c.enter("and on")
	c.want("read and on\r\n")
	c.want("after\r\n")
}

func TestContinuedInTheBackground(t *testing.T) {
	c := newConsole(t)
	c.enter(`run sh -c 'trap "echo continued" CONT; . $ANNOUNCE; sleep 1000 & while :; do wait; done'`)
	command := c.wantProcess()
	c.press("\x1a")
	c.want("Stopped")
	c.want("? ")
	c.enter("bg; " + where)
	c.want("front\r\n") // the shell
	c.want("? ")
	command.wantState("SR")
	c.enter("fg")
	c.wantFront(command)
	c.press("\x03")
	c.want("? ")
	wantGone(t, []watched{command})
}

func TestStoppedTreeThatMayNotResumeIsKilled(t *testing.T) {
	c := newConsole(t, "SUPERVISE_RESUME=no")
	c.enter(`run sh -c 'trap "echo was continued" CONT; . $ANNOUNCE; sleep 1000 & while :; do wait; done'`)
	command := c.wantProcess()
	c.press("\x1a")
	c.want("Stopped")
	c.want("? ")
	c.enter("fg")
	if shown := c.want("? "); strings.Contains(shown, "was continued") {
		t.Errorf("the command ran on: %q", shown)
	}
	wantGone(t, []watched{command})
	c.enter("echo code $?")
	c.want("code 137\r\n")
}

func TestKilledWhileStopped(t *testing.T) {
	c := newConsole(t)
	c.enter(`run sh -c '. $ANNOUNCE; read line'`)
	command := c.wantProcess()
	c.press("\x1a")
	c.want("Stopped")
	c.want("? ")
	c.enter("kill -KILL %1")
	if !command.gone(patience) {
		t.Error("the command still exists")
	}
}

func TestPipelineGetsTheTerminalWhenItAsks(t *testing.T) {
	c := newConsole(t)
	c.enter(`run sh -c '` + where + ` >/dev/tty; read line; echo "read $line"' | cat`)
	c.want("back\r\n")
	c.enter("some text")
	c.want("read some text\r\n")
}

func TestNested(t *testing.T) {
	c := newConsole(t)
	c.enter(`run "$SUPERVISOR" supervise sh -c '. $ANNOUNCE; read line; echo "read $line"'`)
	command := c.wantProcess()
	c.press("\x1a")
	c.want("Stopped")
	c.want("? ")
	command.wantState("T")
	c.enter("fg")
	c.enter("and on")
	c.want("read and on\r\n")
	c.want("? ")
	if !command.gone(time.Second) {
		t.Error("the command still runs")
	}
}

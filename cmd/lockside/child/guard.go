package child

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"lockside/leases/boottime"
)

// guardName is what ps(1) and pkill(1) see of a guard.
const guardName = "lock-guard"

// Guard is the whole life of a guard process, which Run starts with args
// behind those of Command.Guard. It executes the command and returns when its
// tree is gone. An error means that nothing was executed.
func Guard(args []string) error {
	if len(args) < 3 {
		return errors.New("a guard is started by lockside itself, not by hand")
	}
	// The kernel kills the command when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	control, err := inherit(args[0])
	if err != nil {
		return err
	}
	defer control.Close()
	if err := subreap(); err != nil {
		return err
	}
	disguise()
	alarm, err := boottime.System{}.NewAlarm()
	if err != nil {
		return err
	}
	defer alarm.Close()
	g := &guard{control: control, clock: boottime.System{}, alarm: alarm}
	g.run(args[1], args[2:])
	return nil
}

// inherit takes over the descriptors that the supervisor left open for us. The
// first is the control socket, the others are only kept.
func inherit(list string) (control, error) {
	first := -1
	for text := range strings.SplitSeq(list, ",") {
		fd, err := strconv.Atoi(text)
		if err != nil {
			return control{}, fmt.Errorf("read descriptor: %w", err)
		}
		unix.CloseOnExec(fd)
		if first < 0 {
			first = fd
		}
	}
	return openControl(first), nil
}

// disguise makes the guard survive what is meant for others. Signals are
// caught and dropped, not ignored: the command would inherit that.
func disguise() {
	_ = os.WriteFile("/proc/self/comm", []byte(guardName), 0)
	Catch(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM,
		unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM)
}

// guard is the state of a guard process. One goroutine owns it.
type guard struct {
	control control
	clock   boottime.Clock
	alarm   boottime.Alarm // rings when the tree is to be killed, or killed again

	group  int           // the command's pid and process group
	ended  bool          // the command has been waited for, so group may be anyone's
	killAt time.Duration // when KILL follows, 0 while nothing is to end
	pause  time.Duration // until the next KILL
	frozen []identity    // what freeze stopped
}

// run executes the command and returns when its tree is gone.
func (g *guard) run(path string, args []string) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	messages := make(chan message)
	var wg sync.WaitGroup
	wg.Go(func() { g.control.listen(messages) })

	pid, err := execute(path, args, os.Environ())
	if err != nil {
		errno, _ := errors.AsType[unix.Errno](err)
		g.tell(tellRefused, int(errno))
	} else {
		g.group = pid
		g.tell(tellStarted, pid)
		g.watch(messages, children)
	}
	g.tell(tellGone, 0)
	// The supervisor closes its end now. Were ours closed first, with requests
	// still unread, it might read an error in place of what we told.
	for range messages {
	}
	wg.Wait()
}

// watch returns when the tree is gone.
func (g *guard) watch(messages <-chan message, children <-chan os.Signal) {
	for {
		select {
		case m, ok := <-messages:
			if !ok { // The supervisor is dead.
				messages = nil
				g.end(0)
				continue
			}
			g.obey(m)
		case <-children:
			if !reapAll(g.report) {
				return
			}
		case <-g.alarm.C():
			g.killTree()
		}
	}
}

func (g *guard) obey(m message) {
	switch m.verb {
	case askSignal:
		g.pass(unix.Signal(m.n))
	case askEnd:
		g.end(time.Duration(m.n))
	case askFreeze:
		g.freeze()
		g.tell(tellFrozen, 0)
	case askThaw:
		g.thaw()
	}
}

// tell has nobody to tell once the supervisor is dead, and then it matters not.
func (g *guard) tell(verb string, n int) {
	_ = g.control.send(verb, n)
}

// report tells of the command itself. One that was adopted later may get its
// pid again once it has been waited for.
func (g *guard) report(pid int, status unix.WaitStatus) {
	switch {
	case pid != g.group || g.ended:
	case status.Stopped():
		g.tell(tellStopped, int(status.StopSignal()))
	default:
		g.ended = true
		g.tell(tellEnded, int(status))
	}
}

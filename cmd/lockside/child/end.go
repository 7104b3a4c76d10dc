package child

import (
	"time"

	"golang.org/x/sys/unix"
)

// Between two walks that kill. They become rarer for processes that will not
// die, being in the kernel or not ours to signal.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// pass hands a signal on to the command's process group. Without the command
// the group's number may be another's, so then the tree gets it.
func (g *guard) pass(sig unix.Signal) {
	if g.ended {
		g.signalTree(sig)
		return
	}
	_ = unix.Kill(-g.group, sig)
}

// end gives the tree TERM, and KILL after the grace. Asked again it only ever
// brings the end forward.
func (g *guard) end(grace time.Duration) {
	at := g.clock.Now() + grace
	if g.killAt != 0 && g.killAt <= at {
		return
	}
	if g.killAt == 0 && grace > 0 {
		// What is stopped must run on to take note of TERM.
		g.signalTree(unix.SIGTERM, unix.SIGCONT)
	}
	g.killAt, g.pause = at, firstPause
	if grace > 0 {
		g.alarm.Set(at)
		return
	}
	g.killTree()
}

// killTree comes back until reap says that nothing is left.
func (g *guard) killTree() {
	g.signalTree(unix.SIGKILL)
	g.alarm.Set(g.clock.Now() + g.pause)
	g.pause = min(2*g.pause, lastPause)
}

// signalTree reaches at least the command's process group if there is no /proc.
func (g *guard) signalTree(signals ...unix.Signal) {
	tree, err := descendants()
	if err == nil {
		signalAll(tree, signals...)
		return
	}
	for _, sig := range signals {
		if !g.ended {
			_ = unix.Kill(-g.group, sig)
		}
	}
}

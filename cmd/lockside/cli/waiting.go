package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"lockside/ipc"
)

// When the first note is written, and how often it is written again.
const (
	firstNote = 500 * time.Millisecond
	nextNote  = time.Second
)

// notes tells whom a LOCK waits for, until stop.
type notes struct {
	app      *app
	client   *ipc.Client
	names    []string
	terminal int // its descriptor, or -1: then there is one note only

	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// notes starts them, or returns nil if nobody is to read any.
func (a *app) notes(client *ipc.Client, q *acquisition, names []string) *notes {
	terminal := a.terminal()
	if q.quiet || q.try || terminal < 0 && !q.verbose {
		return nil
	}
	n := &notes{app: a, client: client, names: names, terminal: terminal}
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.wg.Go(func() { n.run(ctx) })
	return n
}

// stop clears the note.
func (n *notes) stop() {
	if n != nil {
		n.cancel()
		n.wg.Wait()
	}
}

func (n *notes) run(ctx context.Context) {
	timer := time.NewTimer(firstNote)
	defer timer.Stop()
	shown := false
	for {
		select {
		case <-ctx.Done():
			if shown {
				n.show("")
			}
			return
		case <-timer.C:
		}
		note := n.compose(ctx)
		if n.terminal < 0 {
			n.app.errorf("", "%s", note)
			return
		}
		n.show(note)
		shown = true
		timer.Reset(nextNote)
	}
}

// show writes over the line, which must not wrap into the next.
func (n *notes) show(line string) {
	width := 80
	if size, err := unix.IoctlGetWinsize(n.terminal, unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		width = int(size.Col)
	}
	if runes := []rune(harmless(line)); len(runes) >= width {
		line = string(runes[:width-1])
	} else {
		line = string(runes)
	}
	fmt.Fprintf(n.app.stderr, "\r\x1b[K%s", line)
}

// compose asks who holds the first of the names that somebody else holds.
func (n *notes) compose(ctx context.Context) string {
	for _, name := range n.names {
		queue, err := n.client.Who(ctx, name)
		if err == nil && len(queue) > 0 && queue[0].Role == ipc.RoleHolder {
			return fmt.Sprintf("waiting for %s: held by %s", name, describe(queue[0], time.Now()))
		}
	}
	return "waiting for " + strings.Join(n.names, " ")
}

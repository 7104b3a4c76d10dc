package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestReadyAsksAgain has a server that never answers the first question.
func TestReadyAsksAgain(t *testing.T) {
	p, err := start(command{name: "sleep", dir: t.TempDir(), path: "/bin/sleep", args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.halt()
	var questions atomic.Int32
	err = p.ready(t.Context(), func(ctx context.Context) error {
		if questions.Add(1) == 1 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	if err != nil || questions.Load() != 2 {
		t.Errorf("after %d questions: %v", questions.Load(), err)
	}
}

// TestReadySaysWhyAServerEnded has one that ends at once.
func TestReadySaysWhyAServerEnded(t *testing.T) {
	p, err := start(command{name: "false", dir: t.TempDir(), path: "/bin/false"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.halt()
	refused := errors.New("refused")
	err = p.ready(t.Context(), func(context.Context) error { return refused })
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that ended is %v", err)
	}
}

// TestFaults freezes, thaws, kills and restarts a process that writes a line a
// moment.
func TestFaults(t *testing.T) {
	c := command{name: "clock", dir: t.TempDir(), path: "/bin/sh", args: []string{"-c", "while echo $$; do sleep 0.01; done"}}
	g, err := startGroup(t.Context(), []command{c}, func(context.Context, int) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Stop()
	grows := func() bool {
		before := len(log(t, g[0]))
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if len(log(t, g[0])) > before {
				return true
			}
		}
		return false
	}
	if !grows() {
		t.Error("it writes nothing")
	}
	if err := g.Freeze(0); err != nil || grows() {
		t.Errorf("frozen it writes: %v", err)
	}
	if err := g.Thaw(0); err != nil || !grows() {
		t.Errorf("thawed it writes nothing: %v", err)
	}
	if err := g.Freeze(0); err != nil {
		t.Error(err)
	}
	if g.Kill(0); grows() {
		t.Error("killed it writes")
	}
	if err := g.Ended(); err != nil {
		t.Errorf("that it was killed is taken for %v", err)
	}
	first := g[0].now().cmd.Process.Pid
	if err := g.Restart(t.Context(), 0); err != nil || !grows() {
		t.Errorf("restarted it writes nothing: %v", err)
	}
	if !strings.HasPrefix(log(t, g[0]), fmt.Sprint(first, "\n")) {
		t.Error("the log does not go on where it was")
	}
	if n, err := g.Descriptors(); err != nil || n < 3 {
		t.Errorf("%d files are open, %v", n, err)
	}
}

// TestEndedByItself has a process that nobody ends.
func TestEndedByItself(t *testing.T) {
	p, err := start(command{name: "false", dir: t.TempDir(), path: "/bin/false"})
	if err != nil {
		t.Fatal(err)
	}
	<-p.now().ended
	if err := (group{p}).Ended(); err == nil {
		t.Error("that it has ended is not told")
	}
}

func log(t *testing.T, p *process) string {
	t.Helper()
	text, err := os.ReadFile(p.log())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

package servers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
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

package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"lockside/daemon"
)

// reloads has the daemon go on in the program that its file now holds, with the
// configuration that there now is, whenever HUP comes until the context is done. A
// program or a configuration that is no good changes nothing. The caller waits for the
// goroutine that listens.
func reloads(ctx context.Context, log *slog.Logger, listening *sync.WaitGroup) <-chan func(*daemon.Frozen) error {
	signals, reloads := make(chan os.Signal, 1), make(chan func(*daemon.Frozen) error)
	signal.Notify(signals, syscall.SIGHUP)
	listening.Go(func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
				offer(ctx, log, reloads, signals)
			case <-ctx.Done():
				return
			}
		}
	})
	return reloads
}

// offer proves the next program first. A HUP that comes before that program listens to it
// would end it, and all sessions: it is ignored until then, which execve(2) and Go's
// runtime take over, since what it asks for is being done.
func offer(ctx context.Context, log *slog.Logger, reloads chan<- func(*daemon.Frozen) error, signals chan<- os.Signal) {
	next, err := daemon.NewSuccessor()
	if err == nil {
		err = next.Prove(ctx)
	}
	if err != nil {
		log.Error("Not reloaded: the daemon goes on as it is", "error", err)
		return
	}
	takeOver := func(f *daemon.Frozen) error {
		signal.Ignore(syscall.SIGHUP)
		defer signal.Notify(signals, syscall.SIGHUP)
		return next.TakeOver(f)
	}
	select {
	case reloads <- takeOver:
	case <-ctx.Done():
	}
}

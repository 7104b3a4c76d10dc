package cli

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"lockside/cmd/lockside/child"
	"lockside/ipc"
)

// acquisition is the flags of the commands that take a lock.
type acquisition struct {
	try     bool
	wait    duration
	ttl     duration
	owner   string
	quiet   bool
	verbose bool
}

func (q *acquisition) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&q.try, "nonblock", "n", false, "do not wait: give up if somebody holds it")
	flags.VarP(&q.wait, "wait", "w", "give up after this `time`, as 30s or 1.5m")
	flags.Var(&q.ttl, "ttl", "ask for a lease of this `time`, in whole seconds")
	flags.StringVar(&q.owner, "owner", "", "`text` that others see beside the lock (default the name of the command, if there is one)")
	flags.BoolVarP(&q.quiet, "quiet", "q", false, "write no notes while waiting, and none if not granted")
	flags.BoolVarP(&q.verbose, "verbose", "v", false, "note on whom it waits for, although standard error is no terminal")
	cmd.PreRunE = q.check
}

func (q *acquisition) check(cmd *cobra.Command, _ []string) error {
	switch {
	case q.try && cmd.Flags().Changed("wait"):
		return usageError("-n does not wait, so it does not go with -w")
	case q.quiet && q.verbose:
		return usageError("-q does not go with -v")
	}
	return nil
}

func (q *acquisition) options(cmd *cobra.Command) []ipc.LockOption {
	options := []ipc.LockOption{ipc.TTL(q.ttl.Duration), ipc.Owner(q.owner)}
	switch {
	case q.try:
		options = append(options, ipc.Try())
	case cmd.Flags().Changed("wait"):
		options = append(options, ipc.Wait(q.wait.Duration))
	}
	return options
}

// acquire waits for the lock. A signal ends the wait, and is then the error, a
// *signalError; nothing stays in the queue.
func (a *app) acquire(cmd *cobra.Command, client *ipc.Client, q *acquisition, names []string, signals <-chan os.Signal) (*ipc.Lock, error) {
	ctx, stop := untilSignal(cmd.Context(), signals)
	defer stop()
	notes := a.notes(client, q, names)
	lock, err := client.LockAll(ctx, names, q.options(cmd)...)
	notes.stop()
	if stop(); err == nil && ctx.Err() != nil { // It came as the lock was granted.
		release(lock)
		err = context.Cause(ctx)
	}
	return lock, err
}

// catchSignals catches those that end a program, unless our parent had us
// ignore them.
func catchSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 8)
	child.Catch(signals, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2)
	return signals
}

// untilSignal returns a context that ends with the next signal. Once stop has
// returned, signals are the caller's again and ctx does not change any more.
func untilSignal(parent context.Context, signals <-chan os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	stopped := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case sig := <-signals:
			cancel(&signalError{sig.(syscall.Signal)})
		case <-stopped:
		}
	})
	return ctx, sync.OnceFunc(func() {
		close(stopped)
		wg.Wait()
	})
}

// releaseTimeout bounds the wait for etcd to confirm a release. After it the
// daemon goes on by itself.
const releaseTimeout = 10 * time.Second

func release(lock *ipc.Lock) error {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	return lock.Unlock(ctx)
}

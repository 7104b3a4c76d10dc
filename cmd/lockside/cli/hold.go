package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"lockside/fencing"
	"lockside/ipc"
)

const aboutHold = `Take a lock, write a line with its fence, cluster and key, and hold it until a signal.

TERM and INT release the lock and end with exit code 0. Losing it ends with 70.`

// grant is what hold writes as JSON.
type grant struct {
	Names   []string `json:"names"`
	Fence   int64    `json:"fence"`
	Cluster string   `json:"cluster"`
	Keys    []string `json:"keys"`
	TTL     string   `json:"ttl"`
}

func (a *app) hold() *cobra.Command {
	var q acquisition
	cmd := &cobra.Command{
		Use:   "hold [flags] NAME...",
		Short: "Hold a lock until a signal",
		Long:  aboutHold,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			return a.holdLock(cmd, &q, names)
		},
	}
	q.addFlags(cmd)
	return cmd
}

func (a *app) holdLock(cmd *cobra.Command, q *acquisition, names []string) error {
	signals := catchSignals()
	ctx, stop := untilSignal(cmd.Context(), signals)
	client, err := a.dial(ctx)
	stop()
	if err != nil {
		return err
	}
	defer client.Close()
	lock, err := a.acquire(cmd, client, q, names, signals)
	if err != nil {
		return err
	}
	if err := a.writeGrant(lock); err != nil {
		return err // Closing the client releases the lock.
	}
	select {
	case sig := <-signals:
		return a.letGo(lock, sig)
	case <-lock.Context().Done():
		return &exitError{
			code: exitLost,
			err:  fmt.Errorf("lost %s: %w", strings.Join(names, " "), context.Cause(lock.Context())),
		}
	}
}

// letGo releases the lock as a signal asks.
func (a *app) letGo(lock *ipc.Lock, sig os.Signal) error {
	if err := release(lock); err != nil {
		return err
	}
	if n, ok := sig.(unix.Signal); ok && n != unix.SIGTERM && n != unix.SIGINT {
		return &signalError{n}
	}
	return nil
}

// writeGrant writes fields as the protocol does, so that no name can bring in
// one that is not its own.
func (a *app) writeGrant(lock *ipc.Lock) error {
	if a.json {
		return a.writeJSON(grant{lock.Names(), lock.Fence(), fencing.Cluster(lock.Cluster()).String(), lock.Keys(), lock.TTL().String()})
	}
	line := ipc.AppendInt(nil, "fence", lock.Fence())
	line = ipc.AppendHex(line, "cluster", int64(lock.Cluster()))
	for _, key := range lock.Keys() {
		line = ipc.AppendString(line, "key", key)
	}
	_, err := fmt.Fprintln(a.stdout, strings.TrimSpace(string(line)))
	return err
}

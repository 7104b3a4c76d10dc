package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lockside/ipc"
)

const aboutRestore = `Have this host's daemon go on after etcd was restored from a snapshot, or
another cluster answers at its address. Until then it grants nothing, since
fences might repeat. Root and the daemon's own user may do this, on each host:
each remembers for itself how far etcd had come.

It is refused while etcd has not come as far as the host remembers. Then restore
the snapshot again, with etcdutl's --bump-revision and --mark-compacted, or use
--raise. Both keep the promise that fences rise.

--lower-fences gives the promise up: the daemon hands out fences again that it
has handed out before. Whatever checks fences must have forgotten those that it
has seen, and nothing that was told an old one may still be on its way.`

// restore is what accept-restore was told.
type restore struct {
	app         *app
	raise       bool
	lowerFences int64
}

func (a *app) acceptRestore() *cobra.Command {
	r := &restore{app: a}
	cmd := &cobra.Command{
		Use:   "accept-restore [flags]",
		Short: "Go on after etcd was restored",
		Long:  aboutRestore,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.raise && r.lowerFences != 0 {
				return usageError("--raise keeps fences rising and --lower-fences does not: give one of them")
			}
			client, err := a.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			restored, err := r.accept(cmd.Context(), client)
			if err != nil {
				return err
			}
			return a.writeRestored(restored)
		},
	}
	cmd.Flags().BoolVar(&r.raise, "raise", false, "write to etcd until its revision is as high as the host remembers")
	cmd.Flags().Int64Var(&r.lowerFences, "lower-fences", 0, "let fences begin again below this `revision`, the remembered one")
	return cmd
}

// accept asks, and while revisions are being raised asks again, as long as that
// brings etcd further.
func (r *restore) accept(ctx context.Context, client *ipc.Client) (*ipc.Restore, error) {
	before, _ := storeRevisions(ctx, client)
	for {
		restored, err := client.AcceptRestore(ctx, r.raise, r.lowerFences)
		if err == nil || !r.raise || !errors.Is(err, ipc.ErrRegressed) {
			return restored, err
		}
		now, remembered := storeRevisions(ctx, client)
		if now <= before {
			return nil, err
		}
		r.app.errorf("", "raised the revision to %d of %d", now, remembered)
		before = now
	}
}

// storeRevisions are etcd's revision and the one that the host remembers, or zero
// while the daemon does not tell.
func storeRevisions(ctx context.Context, client *ipc.Client) (now, remembered int64) {
	lines, _ := client.Status(ctx)
	for _, line := range lines {
		if line.Get("about") == "store" {
			return line.Int("revision"), line.Int("remembered")
		}
	}
	return 0, 0
}

func (a *app) writeRestored(r *ipc.Restore) error {
	switch {
	case a.json && r == nil:
		return a.writeJSON(map[string]any{"accepted": false})
	case a.json:
		return a.writeJSON(map[string]any{"accepted": true, "revision": r.Revision, "remembered": r.Remembered})
	case r == nil:
		_, err := fmt.Fprintln(a.stdout, "nothing to accept: etcd has not gone back")
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "accepted: fences go on above %d (before up to %d)\n", r.Revision, r.Remembered)
	return err
}

// Package daemon is one host's locksided.
package daemon

import (
	"context"
	"log/slog"

	"lockside/daemon/config"
)

// Run serves until ctx is done.
func Run(ctx context.Context, _ config.Config, _ *slog.Logger) error {
	<-ctx.Done()
	return nil
}

package speed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lockside/fencing/lab/systems"
)

// onEach does something with one system after the other, until ctx ends. What a
// system cannot do is noted, and the next has its turn. A host has to let in so
// many sessions, or as many as by default if that is 0.
func (r *run) onEach(ctx context.Context, kinds []systems.Kind, members, sessions int, do func(systems.Kind, systems.System) error) {
	for _, kind := range kinds {
		if kind.Servers[members] == 0 || ctx.Err() != nil {
			continue
		}
		if err := r.with(ctx, kind, members, sessions, do); err != nil && ctx.Err() == nil {
			r.fail(kind, members, err)
		}
	}
}

// with does something with a system on servers of its own.
func (r *run) with(ctx context.Context, kind systems.Kind, members, sessions int, do func(systems.Kind, systems.System) error) (err error) {
	dir := filepath.Join(r.dir, "servers")
	if err := os.Mkdir(dir, 0o711); err != nil {
		return fmt.Errorf("make a directory for the servers: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	system, err := kind.Start(ctx, systems.Settings{
		Programs: r.Programs, Dir: dir, TTL: r.TTL, Pause: r.Pause, Sessions: sessions,
	}, kind.Servers[members])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Close()) }()
	return do(kind, system)
}

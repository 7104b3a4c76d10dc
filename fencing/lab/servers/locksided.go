package servers

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"lockside/ipc"
)

// Locksided is the daemon of one host.
type Locksided struct {
	group
	Socket string
}

// StartLocksided runs a daemon for a host of that number. All but its socket,
// its state and the endpoints is left to its defaults.
func StartLocksided(ctx context.Context, parent, binary string, endpoints []string, number int, ttl time.Duration) (*Locksided, error) {
	name := fmt.Sprintf("host%d", number)
	dir, err := subdir(parent, name)
	if err != nil {
		return nil, err
	}
	d := &Locksided{Socket: filepath.Join(dir, "s")}
	if err := ipc.CheckSocketPath(d.Socket); err != nil {
		return nil, fmt.Errorf("choose a shorter directory: %w", err)
	}
	c := command{name: "locksided", dir: dir, path: binary, args: []string{
		"--socket", d.Socket, "--state-dir", filepath.Join(dir, "state"), "--host", name,
		"--endpoints", strings.Join(endpoints, ","), "--ttl", ttl.String(),
	}}
	d.group, err = startGroup(ctx, []command{c}, func(ctx context.Context, _ int) error {
		client, err := ipc.Dial(ctx, d.Socket)
		if err != nil {
			return err
		}
		return client.Close()
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

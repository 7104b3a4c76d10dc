package servers

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockside/ipc"
)

// Locksided is the daemon of one host.
type Locksided struct {
	group
	Socket string
}

// A Host is one that a daemon is for.
type Host struct {
	Number   int
	TTL      time.Duration
	Sessions int  // that it lets in, all for one name if need be; 0 leaves the limits as they are
	Debug    bool // it logs all that it does
}

// StartLocksided runs a daemon for a host. All but its socket, its state, the
// endpoints and what the host asks for is left to its defaults.
func StartLocksided(ctx context.Context, parent, binary string, endpoints []string, host Host, options ...Option) (*Locksided, error) {
	name := fmt.Sprintf("host%d", host.Number)
	dir, err := subdir(parent, name)
	if err != nil {
		return nil, err
	}
	d := &Locksided{Socket: filepath.Join(dir, "s")}
	if err := ipc.CheckSocketPath(d.Socket); err != nil {
		return nil, fmt.Errorf("choose a shorter directory: %w", err)
	}
	c := command{name: "locksided", dir: dir, path: binary, args: slices.Concat([]string{
		"--socket", d.Socket, "--state-dir", filepath.Join(dir, "state"), "--host", name,
		"--endpoints", strings.Join(endpoints, ","), "--ttl", host.TTL.String(),
	}, host.limits(), host.logging())}
	commands := []command{c}
	if err := apply(commands, options); err != nil {
		return nil, err
	}
	d.group, err = startGroup(ctx, commands, func(ctx context.Context, _ int) error {
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

func (h Host) logging() []string {
	if h.Debug {
		return []string{"--log-level", "debug"}
	}
	return nil
}

// limits are the flags that let so many in.
func (h Host) limits() []string {
	if h.Sessions == 0 {
		return nil
	}
	var all []string
	for _, flag := range []string{"--max-sessions", "--max-sessions-per-user", "--max-waiters", "--max-waiters-per-name"} {
		all = append(all, flag, strconv.Itoa(h.Sessions))
	}
	return all
}

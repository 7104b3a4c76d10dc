package drill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockside/ipc"
)

// How long a daemon of the drill's own takes to begin, at most, and how often the
// drill asks it.
const (
	beginTimeout = 60 * time.Second
	beginPause   = 50 * time.Millisecond
)

// shortTTL is the shortest that locksided has, so that nobody waits for long.
const shortTTL = 3 * time.Second

// A daemon is a locksided of the drill's own.
type daemon struct {
	process *process
	socket  string
	log     string // the path of what it logs
}

// openTwoHosts starts both daemons, with all that they keep in dir.
func openTwoHosts(ctx context.Context, locksided, dir string) (_ *twoHosts, err error) {
	t := &twoHosts{ttl: shortTTL}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	store := filepath.Join(dir, "2", "embedded", "client.sock")
	if err := ipc.CheckSocketPath(store); err != nil {
		return nil, fmt.Errorf("%w: set TMPDIR to a shorter path", err)
	}
	if t.second, err = startDaemon(ctx, locksided, dir, "2", "--embedded"); err != nil {
		return nil, err
	}
	if t.first, err = startDaemon(ctx, locksided, dir, "1", "--endpoints", "unix://"+store); err != nil {
		return nil, err
	}
	return t, nil
}

// startDaemon returns once the daemon is well.
func startDaemon(ctx context.Context, locksided, dir, host string, flags ...string) (*daemon, error) {
	log, err := os.Create(filepath.Join(dir, host+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	d := &daemon{socket: filepath.Join(dir, host+".sock"), log: log.Name()}
	cmd := exec.Command(locksided, append(flags, "--config", os.DevNull, "--socket", d.socket, "--host", "host-"+host,
		"--state-dir", filepath.Join(dir, host), "--ttl", shortTTL.String())...)
	cmd.Env = slices.DeleteFunc(os.Environ(), isForDaemons)
	cmd.Stderr = log
	if d.process, err = start(cmd); err != nil {
		return nil, fmt.Errorf("start a daemon: %w", err)
	}
	if err := d.ready(ctx); err != nil {
		d.process.kill()
		return nil, err
	}
	return d, nil
}

// isForDaemons reports whether a variable would configure the daemon of the host, or
// have ours speak to systemd in its place.
func isForDaemons(variable string) bool {
	return strings.HasPrefix(variable, "LOCKSIDED_") || strings.HasPrefix(variable, "NOTIFY_") ||
		strings.HasPrefix(variable, "LISTEN_") || strings.HasPrefix(variable, "WATCHDOG_") ||
		strings.HasPrefix(variable, "JOURNAL_STREAM=")
}

func (d *daemon) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, beginTimeout, errors.New("it does not begin"))
	defer cancel()
	for !d.well(ctx) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("start a daemon: %w%s", context.Cause(ctx), d.lastLine())
		case <-d.process.ended:
			return fmt.Errorf("start a daemon: it has ended%s", d.lastLine())
		case <-time.After(beginPause):
		}
	}
	return nil
}

// well reports whether the daemon and its store are.
func (d *daemon) well(ctx context.Context) bool {
	client, err := ipc.Dial(ctx, d.socket)
	if err != nil {
		return false
	}
	defer client.Close()
	lines, err := client.Status(ctx)
	return err == nil && slices.ContainsFunc(lines, func(line ipc.Fields) bool {
		return line.Get("about") == "store" && line.Get("health") == "ok"
	})
}

// lastLine is the last that the daemon has logged, to follow an error.
func (d *daemon) lastLine() string {
	text, _ := os.ReadFile(d.log)
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return ""
	}
	return ": " + string(text[bytes.LastIndexByte(text, '\n')+1:])
}

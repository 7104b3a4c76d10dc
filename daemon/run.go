package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/embedded"
	"lockside/daemon/listen"
	"lockside/leases"
	"lockside/leases/boottime"
	"lockside/leases/core"
	"lockside/leases/etcd"
)

// stopTime bounds the time in which a stopping daemon gives its leases back.
const stopTime = 4 * time.Second

// Options is what a daemon runs with.
type Options struct {
	Config config.Config
	// Version is what STATUS says.
	Version string
	// Logger is the daemon's; nil discards.
	Logger *slog.Logger
	// Clock is CLOCK_BOOTTIME; nil is the kernel's.
	Clock boottime.Clock
	// Ready is called once clients are served; may be nil.
	Ready func()

	started time.Time // of the daemon, for STATUS
}

// Run serves until the context is done: then clients get LOST, their entries
// go, the leases are revoked, and Run returns nil. It does not wait for etcd,
// neither to begin nor, for more than some seconds, to end.
//
// The errors are those of a socket, a state directory or embedded data that
// cannot be had, and of an embedded member that stopped by itself.
func Run(ctx context.Context, o Options) (err error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := o.Config
	socket, err := listen.Listen(listen.Options{Path: c.Socket, Mode: c.SocketMode, Group: c.SocketGroup, Log: o.Logger})
	if err != nil {
		return fmt.Errorf("serve %s: %w", c.Socket, err)
	}
	defer func() { err = errors.Join(err, socket.Close()) }()

	member, err := startMember(ctx, &c, o.Logger)
	if err != nil {
		return err
	}
	if member != nil {
		defer func() { err = errors.Join(err, member.Close()) }()
	}
	o.started = time.Now()
	for {
		if err := runLocks(ctx, c, o, socket, member); !errors.Is(err, errAccepted) {
			return err
		}
		o.Ready = nil
	}
}

// runLocks serves until the context is done or, with errAccepted, until what it
// knows of etcd no longer holds. Clients that connect meanwhile wait in the socket.
func runLocks(ctx context.Context, c config.Config, o Options, socket *listen.Listener, member *embedded.Server) error {
	locks, err := openLocks(c, o)
	if err != nil {
		return err
	}
	s := newServer(c, o, socket, locks)
	o.Logger.Info("Serving", "socket", c.Socket, "host", c.Host, "endpoints", c.Endpoints)
	if o.Ready != nil {
		o.Ready()
	}
	err = s.serve(ctx, member)
	stop(s, locks, o.Logger)
	if !errors.Is(err, errAccepted) {
		o.Logger.Info("Stopped")
	}
	return err
}

// startMember runs the embedded etcd, if one is wanted, and points the
// configuration at it.
func startMember(ctx context.Context, c *config.Config, log *slog.Logger) (*embedded.Server, error) {
	if !c.Embedded {
		return nil, nil
	}
	member, err := embedded.Start(ctx, embedded.Options{
		Dir: filepath.Join(c.StateDir, "embedded"), Listen: c.EmbeddedListen, Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("start embedded etcd: %w", err)
	}
	c.Endpoints = []string{member.Endpoint()}
	return member, nil
}

func openLocks(c config.Config, o Options) (*leases.Service, error) {
	tls, err := c.TLS()
	if err != nil {
		return nil, fmt.Errorf("read TLS files: %w", err)
	}
	record, err := json.Marshal(map[string]any{"host": c.Host, "pid": os.Getpid(), "since": time.Now().UTC()})
	if err != nil {
		return nil, fmt.Errorf("write host record: %w", err)
	}
	locks, err := leases.Open(leases.Config{
		Etcd: etcd.Config{
			Endpoints: c.Endpoints, TLS: tls, Username: c.User, Password: c.Password,
			AllowOldServers: c.AllowOldServers, Logger: o.Logger,
		},
		Core: core.Config{
			DefaultTTL: c.TTL, Margin: c.MarginOf, Prefix: c.Prefix,
			LocksPerSession: c.Limits.LocksPerSession, WaitersPerName: c.Limits.WaitersPerName,
		},
		StateDir: c.StateDir, Record: record, Logger: o.Logger, Clock: o.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("open locks: %w", err)
	}
	return locks, nil
}

// stop ends the sessions and gives the leases back. What etcd does not take
// back in time, the next start revokes.
func stop(s *server, locks *leases.Service, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	s.draining.Store(true)
	if err := locks.Close(ctx); err != nil {
		log.Warn("Leases not given back: the next start revokes them, or they end by themselves", "error", err)
	}
	s.sessions.wait.Wait()
}

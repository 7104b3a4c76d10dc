package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/embedded"
	"lockside/daemon/listen"
	"lockside/leases"
	"lockside/leases/boottime"
	"lockside/systemd"
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
	// Systemd is told the states of the daemon; nil tells nobody.
	Systemd *systemd.Notifier
	// Socket is the listening socket, if systemd made it; nil makes one at
	// Config.Socket.
	Socket *os.File
	// Ready is called once clients are served; may be nil.
	Ready func()
	// Upgrades has the daemon frozen and its function called, which goes on from there
	// in another program, with Frozen.Exec, or returns why not: then the daemon goes on
	// itself. May be nil.
	Upgrades <-chan func(*Frozen) error
	// Resume is what Inherit gave; nil begins anew.
	Resume *Frozen

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
	defer context.AfterFunc(ctx, o.Systemd.Stopping)()
	c, from := o.Config, o.Resume
	o.started = time.Now()
	if from != nil {
		c, o.started = from.keep(o), from.started
	}
	socket, err := socketOf(c, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, socket.Close()) }()
	c.Socket = socket.Path()

	member, err := startMember(ctx, &c, o.Logger)
	if err != nil {
		return err
	}
	if member != nil {
		defer func() { err = errors.Join(err, member.Close()) }()
	}
	for {
		s, err := runLocks(ctx, c, o, socket, member, from)
		switch {
		case errors.Is(err, errUpgrade):
			from = s
		case errors.Is(err, errAccepted):
			from = nil
		default:
			return err
		}
		o.Ready = nil
	}
}

// runLocks serves until the context is done, or what it knows of etcd no longer holds,
// which is errAccepted, or an upgrade has failed after all was frozen for it, which is
// errUpgrade. Clients that connect meanwhile wait in the socket.
func runLocks(ctx context.Context, c config.Config, o Options, socket *listen.Listener, member *embedded.Server, from *Frozen) (*Frozen, error) {
	s := newServer(c, o, socket)
	if err := s.open(o, from); err != nil {
		return nil, err
	}
	o.Logger.Info("Serving", "socket", c.Socket, "host", c.Host, "endpoints", c.Endpoints)
	o.Systemd.Ready()
	if o.Ready != nil {
		o.Ready()
	}
	err := s.serve(ctx, member, o.Upgrades)
	for errors.Is(err, errUpgrade) {
		o.Systemd.Reloading()
		o.Systemd.Alive() // the next sign comes from the next program
		frozen, refused := s.stopAll()
		if refused == nil {
			refused = context.Cause(ctx) // the daemon may be told to end meanwhile
		}
		if refused == nil {
			refused = s.upgrade(frozen)
		}
		o.Logger.Error("Not upgraded: the daemon goes on as it is", "error", refused)
		if frozen != nil {
			return frozen, errUpgrade
		}
		o.Systemd.Ready()
		err = s.serve(ctx, member, o.Upgrades)
	}
	close(s.served)
	stop(s, s.locks, o.Logger)
	if !errors.Is(err, errAccepted) {
		o.Logger.Info("Stopped")
	}
	return nil, err
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

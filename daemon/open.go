package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/embedded"
	"lockside/daemon/listen"
	"lockside/leases"
	"lockside/leases/core"
	"lockside/leases/etcd"
)

// socketOf makes the socket, or goes on with the one that there is.
func socketOf(c config.Config, o Options) (*listen.Listener, error) {
	if o.Resume != nil {
		o.Resume.socket.LogTo(o.Logger)
		return o.Resume.socket, nil
	}
	if o.Socket != nil {
		socket, err := listen.Adopt(o.Socket, nil)
		if err == nil {
			socket.LogTo(o.Logger)
		}
		return socket, err
	}
	socket, err := listen.Listen(listen.Options{Path: c.Socket, Mode: c.SocketMode, Group: c.SocketGroup, Log: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", c.Socket, err)
	}
	return socket, nil
}

// open begins to hold locks, or goes on from where a daemon was frozen: whatever is past
// its deadline is lost before anything else happens.
func (s *server) open(o Options, from *Frozen) (err error) {
	var resume *leases.Resumption
	var sessions []*session
	if from != nil {
		sessions = from.sessions
		resume = &leases.Resumption{Image: from.locks, Lock: from.state, Subscribers: map[uint64]leases.Subscriber{}}
		for _, n := range sessions {
			n.server = s
			resume.Subscribers[n.id] = n
		}
	}
	if s.locks, err = openLocks(s.cfg, o, resume); err != nil {
		if from != nil {
			from.abandon()
		}
		return err
	}
	s.objection = s.locks.Objection
	for _, n := range sessions {
		n.locks = s.locks.Resumed(n.id)
	}
	s.vital.shorten(s.shortestTTL())
	if s.vital.late(s.cfg.MinTTL) {
		s.log.Warn("Margin too short for systemd's watchdog: a daemon that hangs may be killed only after a lease has ended",
			"margin", s.cfg.MarginOf(s.cfg.MinTTL), "want", shortestPatience)
	}
	s.resume(sessions)
	return nil
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

func openLocks(c config.Config, o Options, resume *leases.Resumption) (*leases.Service, error) {
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
		StateDir: c.StateDir, Record: record, Logger: o.Logger, Clock: o.Clock, Resume: resume,
	})
	if err != nil {
		return nil, fmt.Errorf("open locks: %w", err)
	}
	return locks, nil
}

// Package embedded runs one etcd member inside this process.
//
// It is for one host, and for trying. The member is the whole cluster, listens
// on a Unix socket or on loopback alone, has no listener for peers at all, and
// syncs its log to disk before it answers, as every etcd does. A member that
// meets an error it cannot continue from, such as a full disk, ends the process:
// what held the locks is gone, and every client sees so.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// ErrInUse means that a live process has the data directory.
var ErrInUse = errors.New("data directory in use")

// Options says where the member keeps its data and listens.
type Options struct {
	// Dir holds the data. It is made if missing, for this user alone.
	Dir string
	// Listen is a loopback HOST:PORT, with port 0 for any free one, or
	// unix:PATH. Empty is a socket in Dir.
	Listen string
	// History is how long superseded revisions are kept, for watches that were
	// interrupted. Zero is a minute.
	History time.Duration
	// Logger hears the member's warnings and errors. Nil discards them.
	Logger *slog.Logger
}

// Server is a running member.
type Server struct {
	endpoint string
	etcd     *embed.Etcd
	lock     dirLock
	streams  *streams
	level    zap.AtomicLevel
	close    func() error
}

// Start runs a member on the data in o.Dir and returns once it serves. If ctx
// is done before, the member is stopped and the error is the cause of ctx.
//
// Errors are [ErrInUse] for data that another process has, [ErrVersion] for
// those of an etcd that this one cannot follow, and others for an address that
// is not this host's own, or data that cannot be read.
func Start(ctx context.Context, o Options) (*Server, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("start embedded etcd: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Dir = dir
	if o.History == 0 {
		o.History = history
	}
	address, err := parseListen(o.Listen, dir)
	if err != nil {
		return nil, fmt.Errorf("start embedded etcd: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, fmt.Errorf("start embedded etcd: %w", err)
	}
	s, err := startLocked(ctx, o, address)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start embedded etcd: %w", err), lock.release())
	}
	s.lock = lock
	return s, nil
}

// startLocked does what needs the lock on the data directory.
func startLocked(ctx context.Context, o Options, a address) (*Server, error) {
	if err := checkVersion(o.Dir); err != nil {
		return nil, err
	}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	s := &Server{streams: newStreams(), level: zap.NewAtomicLevelAt(whileStarting)}
	s.close = sync.OnceValue(s.stop)
	c := settings(o, a)
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zapLogger(o.Logger, s.level))
	c.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainStreamInterceptor(s.streams.intercept)}
	var err error
	if s.etcd, err = run(c); err != nil {
		return nil, fmt.Errorf("on the data in %s: %w", o.Dir, err)
	}
	if err := errors.Join(s.await(ctx), a.protect()); err != nil {
		s.stopEtcd()
		return nil, err
	}
	s.endpoint = a.endpoint(s.etcd.Clients[0].Addr())
	s.level.SetLevel(whileServing)
	return s, nil
}

// run starts etcd. What etcd has its logger panic about while it reads the data
// becomes an error.
func run(c *embed.Config) (etcd *embed.Etcd, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fatal:
			err = p
		default:
			panic(p)
		}
	}()
	return embed.StartEtcd(c)
}

// await waits until the member leads and serves.
func (s *Server) await(ctx context.Context) error {
	select {
	case <-s.etcd.Server.ReadyNotify():
		return nil
	case err := <-s.etcd.Err():
		return err
	case <-s.etcd.Server.StopNotify():
		return errors.New("the member stopped")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Endpoint is what an etcd client on this host connects to.
func (s *Server) Endpoint() string { return s.endpoint }

// Done is closed when the member has stopped, of itself or by Close.
func (s *Server) Done() <-chan struct{} { return s.etcd.Server.StopNotify() }

// Close stops the member and waits until its data are closed. Clients that are
// connected are cut off. A second call does nothing more.
func (s *Server) Close() error { return s.close() }

func (s *Server) stop() error {
	s.stopEtcd()
	return s.lock.release()
}

// stopEtcd ends the streams first, since etcd would wait seconds for clients
// to end their watches themselves.
func (s *Server) stopEtcd() {
	s.level.SetLevel(whileStopping)
	s.streams.end()
	s.etcd.Close()
}

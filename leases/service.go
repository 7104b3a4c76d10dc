package leases

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockside/leases/boottime"
	"lockside/leases/core"
	"lockside/leases/etcd"
	"lockside/leases/state"
)

// Config is what a Service needs.
type Config struct {
	// Etcd says which cluster to use. Clock, Remembered and Seen are set here.
	Etcd etcd.Config
	// Core holds the limits and times. LeaseID is set here; Prefix is needed.
	Core core.Config
	// StateDir is where leases and revisions are remembered.
	StateDir string
	// Record is the value of this daemon's own keys in etcd.
	Record []byte
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Clock is CLOCK_BOOTTIME; nil is the kernel's.
	Clock boottime.Clock
	// Resume is what to go on from; nil begins anew. Its Lock is the Service's
	// from then on, whatever Open returns.
	Resume *Resumption
}

// Service holds the locks of one host. Its methods may be called concurrently.
type Service struct {
	log     *slog.Logger
	clock   boottime.Clock
	alarm   boottime.Alarm
	etcd    *etcd.Client
	watcher *etcd.Watcher
	state   *state.Dir
	prefix  string
	record  []byte

	restores restores

	objected atomic.Pointer[objection] // the last one; nil if there was none

	ctx     context.Context // ends when the Service is closed
	cancel  context.CancelFunc
	work    sync.WaitGroup   // every goroutine of the Service
	batches chan *core.Batch // to a committer that has nothing to do
	cleared chan struct{}    // closed once the leases left behind are revoked
	drained chan struct{}    // closed once nothing of ours is left in etcd
	gone    chan error       // why etcd is a regression, once

	mu          sync.Mutex // guards what follows
	machine     *core.Machine
	subscribers map[core.SessionID]Subscriber
	renewals    map[int64]*etcd.Renewal
	lastSession core.SessionID
	armed       time.Duration // what the alarm is set to
	closed      bool          // nothing is done any more
}

// Open takes the state directory and starts to hold locks, or goes on holding them.
// It waits for no server: what etcd is needed for waits until it is there.
func Open(cfg Config) (*Service, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Clock == nil {
		cfg.Clock = boottime.System{}
	}
	dir, err := openState(cfg)
	if err != nil {
		return nil, err
	}
	s := &Service{
		log: cfg.Logger, clock: cfg.Clock, state: dir, prefix: cfg.Core.Prefix, record: cfg.Record,
		batches: make(chan *core.Batch), cleared: make(chan struct{}), drained: make(chan struct{}), gone: make(chan error, 1),
		subscribers: map[core.SessionID]Subscriber{}, renewals: map[int64]*etcd.Renewal{},
	}
	if err := s.connect(cfg); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	cfg.Core.LeaseID = newLeaseID
	s.start(cfg)
	s.work.Go(s.keepTime)
	s.work.Go(s.awaitRegression)
	return s, nil
}

// openState takes the state directory, which in a hand-over was never let go.
func openState(cfg Config) (*state.Dir, error) {
	r := cfg.Resume
	if r == nil {
		return state.Open(cfg.StateDir)
	}
	if r.Image.Prefix != cfg.Core.Prefix {
		return nil, errors.Join(fmt.Errorf("locks are held below %q, which cannot be changed to %q while they are", r.Image.Prefix, cfg.Core.Prefix), r.Lock.Close())
	}
	return state.Adopt(cfg.StateDir, r.Lock)
}

// start takes the first step.
func (s *Service) start(cfg Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.state.Leases()
	if cfg.Resume == nil {
		s.machine = core.New(cfg.Core)
		s.stepLocked(core.Tick{})
	} else {
		left = slices.DeleteFunc(left, cfg.Resume.Image.Machine.Has)
		s.resumeLocked(cfg.Core, cfg.Resume)
	}
	s.work.Go(func() { s.revokeLeftBehind(left) })
}

func (s *Service) connect(cfg Config) (err error) {
	memory := s.state.Memory()
	cfg.Etcd.Clock = cfg.Clock
	s.restores.etcd = cfg.Etcd
	s.restores.etcd.Logger = nil // it would say of each endpoint again how it is
	cfg.Etcd.Remembered = etcd.Memory{ClusterID: memory.Cluster, Revision: memory.Revision, Regressed: memory.Regressed}
	cfg.Etcd.Seen = s.remember
	cfg.Etcd.WentBack = s.noteRegression
	if s.alarm, err = cfg.Clock.NewAlarm(); err != nil {
		return fmt.Errorf("make alarm: %w", err)
	}
	if s.etcd, err = etcd.New(cfg.Etcd); err != nil {
		return errors.Join(err, s.alarm.Close())
	}
	s.watcher = s.etcd.NewWatcher(watchEvents{s})
	return nil
}

// newLeaseID chooses a lease id; 63 random bits do not meet again.
func newLeaseID() int64 { return rand.Int64N(1<<63-1) + 1 }

// remember writes a revision down before anyone acts on it. Without the
// memory a regression would pass unseen after a restart, which is no reason to
// stop now, so it is only logged.
func (s *Service) remember(cluster uint64, revision int64) {
	if err := s.state.Remember(state.Memory{Cluster: cluster, Revision: revision}); err != nil {
		s.log.Error("Revision not remembered", "error", err)
	}
}

// step feeds the core one event and carries out what it says.
func (s *Service) step(ev core.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepLocked(ev)
}

func (s *Service) stepLocked(ev core.Event) {
	if s.closed {
		return
	}
	now := s.clock.Now()
	for _, a := range s.machine.Step(now, ev) {
		s.performLocked(a)
	}
	if s.machine.Drained() {
		select {
		case <-s.drained:
		default:
			close(s.drained)
		}
	}
	s.armLocked(now)
}

// armLocked moves the alarm forward if it would ring too late. One that rings
// too early does no harm, and moving it back would cost a system call a step.
func (s *Service) armLocked(now time.Duration) {
	next := s.machine.Next()
	if next != 0 && (s.armed <= now || next < s.armed) {
		s.armed = next
		s.alarm.Set(next)
	}
}

// keepTime tells the core the time whenever the alarm rings.
func (s *Service) keepTime() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.alarm.C():
			s.step(core.Tick{})
		}
	}
}

// Now is the boot clock, which Grant.Until and Held.Until are moments of.
func (s *Service) Now() time.Duration { return s.clock.Now() }

// Tick ends whatever is past its deadline. A caller that serves a request
// without the core calls it first, so that a process that slept does nothing
// before its clients know (P3).
func (s *Service) Tick() { s.step(core.Tick{}) }

// Close loses every session, gives every lease back, and waits for that until
// the context ends; what is left then, the next start revokes. It returns when
// every goroutine has ended. Calls of lost sessions do nothing after it. A Service
// that is closed already, or frozen, is left alone.
func (s *Service) Close(ctx context.Context) error {
	if !s.drain() {
		return nil
	}
	var err error
	select {
	case <-s.drained:
	case <-ctx.Done():
		err = fmt.Errorf("give leases back: %w", context.Cause(ctx))
	}
	s.cancel()
	s.mu.Lock()
	s.stopLocked()
	s.mu.Unlock()
	err = errors.Join(err, s.watcher.Close(), s.etcd.Close())
	s.work.Wait()
	return errors.Join(err, s.alarm.Close(), s.state.Close())
}

// drain loses every session, and reports false if there is nothing to be closed.
func (s *Service) drain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.stepLocked(core.Drain{})
	return true
}

// stopLocked has no step start a goroutine, which nobody would wait for, and ends what
// the renewals still wait for.
func (s *Service) stopLocked() {
	s.closed = true
	for lease := range s.renewals {
		s.endRenewalLocked(lease)
	}
}

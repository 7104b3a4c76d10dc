package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/crowd"
	"lockside/fencing/lab/resource"
	"lockside/fencing/lab/servers"
)

// prefix is where the daemons' keys are in etcd, by default.
const prefix = "lockside/"

// errLane is why a soak ends before its time when a fault could not be undone.
var errLane = errors.New("a fault could not be undone")

// A run is one soak.
type run struct {
	Options
	log      *slog.Logger
	dir      string // made for this run
	recorder *history.Recorder
	ledger   *ledger
	members  *members
	daemons  *daemons
	resource *resource.Server
	crowds   *crowds
	observer *observer
	began    time.Time // the faults
	result   *Result
}

// Run soaks, and leaves nothing behind. When ctx ends the faults do, and all the
// rest is done as usual. A violation is told in the result; the error is for what
// could not be done at all.
func Run(ctx context.Context, o Options, log *slog.Logger) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>32 + 1
	}
	dir, err := os.MkdirTemp(o.Dir, "soak")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the servers: %w", err)
	}
	if !o.Keep {
		defer os.RemoveAll(dir)
	}
	r := &run{Options: o, log: log, dir: dir, recorder: history.NewRecorder(), result: &Result{
		Seed: o.Seed, Hosts: o.Hosts, Members: o.Members, Clients: o.Clients, TTL: o.TTL,
	}}
	r.ledger = newLedger(r.recorder.Now, o.TTL)
	log.Info("Soaking", "for", o.For, "seed", o.Seed, "dir", dir)
	if err := r.servers(ctx); err != nil {
		return nil, err
	}
	return r.result, nil
}

// servers builds and starts them, goes on, and stops them.
func (r *run) servers(ctx context.Context) (err error) {
	if r.Programs, err = r.Programs.Build(ctx, r.dir); err != nil {
		return err
	}
	etcd, err := servers.StartEtcd(ctx, r.dir, r.Programs.Etcd, r.Members)
	if err != nil {
		return err
	}
	defer etcd.Stop()
	client, err := connect(etcd.Endpoints...)
	if err != nil {
		return err
	}
	defer client.Close()
	r.members = &members{etcd: etcd, client: client, ledger: r.ledger, ttl: r.TTL}
	r.daemons = &daemons{ledger: r.ledger, recorder: r.recorder, ttl: r.TTL}
	defer r.daemons.stop()
	if err := r.startDaemons(ctx); err != nil {
		return err
	}
	return r.clients(ctx)
}

func (r *run) startDaemons(ctx context.Context) error {
	for i := range r.Hosts {
		d, err := servers.StartLocksided(ctx, r.dir, r.Programs.Locksided, r.members.etcd.Endpoints, servers.Host{
			Number: i, TTL: r.TTL, Debug: r.Debug,
		})
		if err != nil {
			return err
		}
		one := &daemon{Locksided: d, host: hostName(i)}
		r.daemons.all = append(r.daemons.all, one)
		size, err := one.size()
		if err != nil {
			return err
		}
		one.use.use = DaemonUse{Host: one.host, Before: size}
	}
	return nil
}

// clients starts them, goes on, and has them end.
func (r *run) clients(ctx context.Context) (err error) {
	if r.resource, err = resource.Serve(r.resourcePath(), r.recorder); err != nil {
		return err
	}
	merger := &merger{recorder: r.recorder}
	r.observer = newObserver(merger, r.ledger, r.margin(), r.log)
	r.crowds = &crowds{
		dir: r.dir, config: r.crowd(), ledger: r.ledger, recorder: r.recorder, merger: merger, ttl: r.TTL,
	}
	err = r.copyHistory(func() error {
		over := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() { r.observer.run(over) })
		watching.Go(func() { r.watchClock(over) })
		err := r.living(ctx)
		close(over)
		watching.Wait()
		return err
	})
	r.leaveNothing(context.WithoutCancel(ctx))
	r.observer.total(r.result)
	r.result.Faults = r.ledger.done()
	return err
}

func (r *run) resourcePath() string { return filepath.Join(r.dir, "resource") }

// crowd is what all crowds have in common.
func (r *run) crowd() crowd.Config {
	config := crowd.Config{Seed: r.Seed, Names: r.Names, TTL: r.TTL, Resource: r.resourcePath()}
	for _, d := range r.daemons.all {
		config.Hosts = append(config.Hosts, crowd.Host{Name: d.host, Socket: d.Socket})
	}
	return config
}

// copyHistory has what is observed written to a file as well, if it is wanted.
func (r *run) copyHistory(observe func() error) error {
	if r.History == "" {
		return observe()
	}
	file, err := os.Create(r.History)
	if err != nil {
		return errors.Join(fmt.Errorf("write the history: %w", err), r.resource.Close())
	}
	r.observer.copy = json.NewEncoder(file)
	return errors.Join(observe(), file.Close())
}

// living is all that happens while there are clients.
func (r *run) living(ctx context.Context) error {
	err := r.crowds.start(r.Crowds, r.Clients)
	if err == nil {
		r.faults(ctx)
	}
	ended := time.Now()
	for _, failed := range r.crowds.finish() {
		r.observer.violate("unfinished", failed.Error(), 0)
	}
	r.result.Finished = time.Since(ended)
	return errors.Join(err, r.resource.Close())
}

// faults has all lanes run for the time, and looks on.
func (r *run) faults(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	soak, stop := context.WithTimeoutCause(ctx, r.For, nil)
	defer stop()
	unfinished := func(err error) {
		r.observer.violate("undo", err.Error(), r.recorder.Now())
		cancel(errLane)
	}
	r.began = time.Now()
	var lanes sync.WaitGroup
	for i, faults := range [][]fault{r.members.faults(), r.daemons.faults(), r.crowds.faults()} {
		l := &lane{
			random: rand.New(rand.NewPCG(r.Seed, uint64(i))), pause: r.TTL / 3, faults: faults,
			ledger: r.ledger, log: r.log, unfinished: unfinished,
		}
		lanes.Go(func() { l.run(soak) })
	}
	r.lookOn(soak)
	r.result.For = time.Since(r.began)
	if ctx.Err() != nil {
		r.result.Cut = context.Cause(ctx).Error()
	}
	lanes.Wait()
}

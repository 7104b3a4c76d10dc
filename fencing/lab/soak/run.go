package soak

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/resource"
	"lockside/fencing/lab/servers"
)

// prefix is where the daemons' keys are in etcd, by default.
const prefix = "lockside/"

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
		Violations: []Violation{},
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

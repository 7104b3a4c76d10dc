package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lockside/fencing/lab/crowd"
	"lockside/fencing/lab/resource"
)

// errLane is why a soak ends before its time when a fault could not be undone.
var errLane = errors.New("a fault could not be undone")

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

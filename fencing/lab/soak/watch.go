package soak

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lockside/daemon/faults/history"
)

// clockPeriod is how long the stall clock sleeps.
const clockPeriod = 50 * time.Millisecond

// watchClock notes when this process, and so probably all the machine, stood
// still.
func (r *run) watchClock(over <-chan struct{}) {
	for {
		due := r.recorder.Now() + clockPeriod
		select {
		case <-over:
			return
		case <-time.After(clockPeriod):
		}
		if now := r.recorder.Now(); now-due > lateEnough {
			r.log.Warn("The machine stood still", "for", now-due)
			r.observer.starved(span{state: starved, begin: due, end: now})
		}
	}
}

// lookOn samples what daemons take, looks whether all run, and tells how it
// goes, until ctx ends.
func (r *run) lookOn(ctx context.Context) {
	samples := time.NewTicker(sampleEvery(r.For))
	defer samples.Stop()
	progress := time.NewTicker(r.Progress)
	defer progress.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-samples.C:
			r.daemons.sample(float64(time.Since(r.began)) / float64(r.For))
		case <-progress.C:
			r.tell()
		}
	}
}

// tell logs how it goes.
func (r *run) tell() {
	t, violations := r.observer.soFar()
	faults, losses, falseLosses := 0, 0, 0
	for _, n := range r.ledger.done() {
		faults += n
	}
	for reason := range t.Losses {
		losses += t.Losses[reason]
		falseLosses += t.FalseLosses[reason]
	}
	r.log.Info("So far", "after", time.Since(r.began).Round(time.Second), "faults", faults, "events", t.Events,
		"grants", t.Grants, "lost", losses, "without cause", falseLosses, "violations", violations)
}

// leaveNothing looks at what the clients have left, and once the daemons have
// stopped at what these have.
func (r *run) leaveNothing(ctx context.Context) {
	r.awaitLeft(ctx, "without clients", func(left history.Leftover) []string { return left.Entries })
	for _, d := range r.daemons.all {
		use := d.use.total()
		size, err := d.size()
		if err != nil {
			r.observer.violate("ended", fmt.Sprintf("%s: %v", d.host, err), 0)
		}
		use.After = size
		for _, grown := range use.flat() {
			r.observer.violate("growth", grown, 0)
		}
		r.result.Daemons = append(r.result.Daemons, use)
	}
	if err := r.daemons.ended(); err != nil {
		r.observer.violate("ended", err.Error(), 0)
	}
	r.daemons.stop()
	r.awaitLeft(ctx, "without daemons", func(left history.Leftover) []string {
		if text := left.String(); text != "" {
			return strings.Split(text, ", ")
		}
		return nil
	})
}

// awaitLeft waits until nothing is left of what is wanted, no longer than until
// the last lease must have ended.
func (r *run) awaitLeft(ctx context.Context, when string, of func(history.Leftover) []string) {
	ctx, cancel := context.WithTimeout(ctx, r.TTL+10*time.Second)
	defer cancel()
	for {
		left, err := history.Left(ctx, r.members.client, prefix)
		all := of(left)
		if err == nil && len(all) == 0 {
			return
		}
		wait(ctx, 200*time.Millisecond)
		if ctx.Err() != nil {
			r.observer.violate("left", fmt.Sprintf("%s there is still in etcd: %v %v", when, all, err), 0)
			return
		}
	}
}

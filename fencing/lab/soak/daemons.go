package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"lockside/daemon/faults/history"
	"lockside/fencing/lab/servers"
)

// A daemon is that of one host.
type daemon struct {
	*servers.Locksided
	host string
	use  usage
}

// daemons are those of all hosts, for a lane of their own.
type daemons struct {
	all      []*daemon
	ledger   *ledger
	recorder *history.Recorder
	ttl      time.Duration
}

func hostName(i int) string { return fmt.Sprintf("host%d", i) }

func (d *daemons) faults() []fault {
	all := []fault{{"daemon frozen", 5, d.freeze}}
	if len(d.all) > 1 {
		all = append(all, fault{"daemon killed", 3, d.kill})
	}
	return all
}

// freeze freezes one daemon.
func (d *daemons) freeze(ctx context.Context, r *rand.Rand) error {
	victim := d.all[r.IntN(len(d.all))]
	defer d.ledger.begin(span{state: still, host: victim.host})()
	if err := victim.Freeze(0); err != nil {
		return err
	}
	wait(ctx, length(r, d.ttl))
	return victim.Thaw(0)
}

// kill kills one daemon and starts it again. That of the first host is spared:
// it shows what a daemon takes after a long life.
func (d *daemons) kill(ctx context.Context, r *rand.Rand) error {
	victim := d.all[1+r.IntN(len(d.all)-1)]
	defer d.ledger.begin(span{state: dead, host: victim.host})()
	victim.use.restart()
	victim.Kill(0)
	d.recorder.Record(history.Event{Kind: history.Gone, Host: victim.host})
	wait(ctx, length(r, d.ttl))
	ctx, cancel := undoing(ctx)
	defer cancel()
	return victim.Restart(ctx, 0)
}

// ended tells of a daemon that has ended by itself.
func (d *daemons) ended() error {
	for _, one := range d.all {
		if err := one.Ended(); err != nil {
			return fmt.Errorf("%s: %w", one.host, err)
		}
	}
	return nil
}

func (d *daemons) stop() {
	for _, one := range d.all {
		one.Stop()
	}
}

package holders

import (
	"context"
	"sync"
	"time"
)

// A kept lock is renewed until it is lost or given up.
type kept struct {
	ttl    time.Duration
	renew  func(ctx context.Context) (held bool, err error)
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu    sync.Mutex // guards what follows
	until time.Time
	told  string
}

// keep begins with a lock that was asked for at that moment. A renewal is an
// error when it is not known whether the lock is still there.
func keep(ttl time.Duration, asked time.Time, renew func(context.Context) (bool, error)) *kept {
	ctx, cancel := context.WithCancel(context.Background())
	k := &kept{ttl: ttl, renew: renew, cancel: cancel, until: asked.Add(ttl)}
	k.done.Go(func() { k.run(ctx) })
	return k
}

func (k *kept) run(ctx context.Context) {
	again := time.NewTicker(k.ttl / 3)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		asked := time.Now()
		held, err := attempt(ctx, k.renew)
		k.answered(asked, held, err)
	}
}

func (k *kept) answered(asked time.Time, held bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case err != nil:
	case !held && k.told == "":
		k.told = "the renewal found it gone"
	case held && time.Now().Before(k.until):
		k.until = asked.Add(k.ttl)
	}
}

func (k *kept) Told() string {
	if k == nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.told == "" && !time.Now().Before(k.until) {
		k.told = "its own clock: the TTL has passed"
	}
	return k.told
}

// stop ends the renewals and waits for the last one. A kept lock that is nil has
// none.
func (k *kept) stop() {
	if k != nil {
		k.cancel()
		k.done.Wait()
	}
}

package holders

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// redlockHolder uses the library redsync.
type redlockHolder struct {
	clients []*redis.Client
	library *redsync.Redsync
	ttl     time.Duration
	mutex   *redsync.Mutex
	*kept
}

func openRedlock(c Config) Holder {
	h := &redlockHolder{ttl: c.TTL}
	var pools []redsyncredis.Pool
	for _, address := range c.Addresses {
		client := newRedis(address)
		h.clients = append(h.clients, client)
		pools = append(pools, goredis.NewPool(client))
	}
	h.library = redsync.New(pools...)
	return h
}

func (h *redlockHolder) Acquire(ctx context.Context, name string) (int64, error) {
	var asked time.Time
	err := poll(ctx, func(ctx context.Context) (bool, error) {
		asked = time.Now()
		h.mutex = h.library.NewMutex(name, redsync.WithExpiry(h.ttl), redsync.WithTries(1))
		err := h.mutex.LockContext(ctx)
		return err == nil, err
	})
	if err == nil {
		h.kept = keep(h.ttl, asked, h.extend)
	}
	return 0, err
}

// extend finds the lock gone when too many servers say so, and learns nothing
// when too few answer.
func (h *redlockHolder) extend(ctx context.Context) (bool, error) {
	held, err := h.mutex.ExtendContext(ctx)
	if _, unreachable := errors.AsType[*redsync.RedisError](err); unreachable {
		return false, err
	}
	return held, nil
}

func (h *redlockHolder) Release(ctx context.Context) error {
	h.stop()
	held, err := h.mutex.UnlockContext(ctx)
	if err == nil && !held {
		err = errGone
	}
	return err
}

func (h *redlockHolder) Close() error {
	h.stop()
	var err error
	for _, client := range h.clients {
		err = errors.Join(err, client.Close())
	}
	return err
}

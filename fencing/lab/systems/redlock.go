package systems

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"lockside/fencing/lab/servers"
)

func redlockKind() Kind {
	return Kind{
		Name:    "Redlock",
		About:   "The Go library redsync on five such Redis servers, of which three must agree. Who does not get them tries again after a random pause.",
		Servers: map[int]int{3: 5}, lacks: lacksRedis, Version: redisVersion,
		Start: startRedlock,
	}
}

// redlock is five servers and the library.
type redlock struct {
	servers  *servers.Redis
	settings Settings
	clients  []*redis.Client
	library  *redsync.Redsync
}

func startRedlock(ctx context.Context, s Settings, n int) (System, error) {
	all, err := servers.StartRedis(ctx, s.Dir, s.Programs.Redis, n)
	if err != nil {
		return nil, err
	}
	r := &redlock{servers: all, settings: s}
	var pools []redsyncredis.Pool
	for _, address := range all.Addresses {
		client := redis.NewClient(&redis.Options{Addr: address, PoolSize: maxConns})
		r.clients = append(r.clients, client)
		pools = append(pools, goredis.NewPool(client))
	}
	r.library = redsync.New(pools...)
	return r, nil
}

func (r *redlock) Open(context.Context, Worker) (Locker, error) {
	return &redlockLocker{system: r}, nil
}

func (r *redlock) Close() error {
	var err error
	for _, client := range r.clients {
		err = errors.Join(err, client.Close())
	}
	r.servers.Stop()
	return err
}

// redlockLocker has a mutex for each lock, as the library wants it.
type redlockLocker struct {
	system *redlock
	mutex  *redsync.Mutex
}

func (l *redlockLocker) Acquire(ctx context.Context, name string) (int64, error) {
	pause := l.system.settings.Pause
	l.mutex = l.system.library.NewMutex(name,
		redsync.WithExpiry(l.system.settings.TTL),
		redsync.WithTries(math.MaxInt),
		redsync.WithRetryDelayFunc(func(int) time.Duration { return pause.Next() }))
	return 0, l.mutex.LockContext(ctx)
}

func (l *redlockLocker) Release(ctx context.Context) error {
	held, err := l.mutex.UnlockContext(ctx)
	if err == nil && !held {
		err = errLost
	}
	return err
}

func (l *redlockLocker) Close() error { return nil }

package systems

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"lockside/fencing/lab/servers"
)

func redisKind() Kind {
	return Kind{
		Name:    "Redis",
		About:   "SET NX PX with a value of its own, released by a script that compares it and deletes, on one server that syncs each write. Who finds it taken tries again after a random pause.",
		Servers: map[int]int{1: 1}, lacks: lacksRedis, Version: redisVersion,
		Start: startRedis,
	}
}

func lacksRedis(p servers.Programs) string {
	if p.Redis == "" {
		return "there is no redis-server; apt-get install redis-server, or point --redis at one"
	}
	return ""
}

func redisVersion(ctx context.Context, p servers.Programs) (string, error) {
	return servers.Version(ctx, p.Redis, "--version")
}

// redisSystem is a server and a client that the workers share.
type redisSystem struct {
	servers  *servers.Redis
	settings Settings
	client   *redis.Client
	unlock   *redis.Script
}

// maxConns lets each worker have a connection of its own.
const maxConns = 1024

// compareAndDelete deletes a key only if it still has our value.
const compareAndDelete = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

func startRedis(ctx context.Context, s Settings, n int) (System, error) {
	server, err := servers.StartRedis(ctx, s.Dir, s.Programs.Redis, n)
	if err != nil {
		return nil, err
	}
	return &redisSystem{
		servers: server, settings: s, unlock: redis.NewScript(compareAndDelete),
		client: redis.NewClient(&redis.Options{Addr: server.Addresses[0], PoolSize: maxConns}),
	}, nil
}

func (r *redisSystem) Open(context.Context, Worker) (Locker, error) {
	return &redisLocker{system: r}, nil
}

func (r *redisSystem) Close() error {
	err := r.client.Close()
	r.servers.Stop()
	return err
}

// redisLocker holds at most one name, with a value that nobody else has.
type redisLocker struct {
	system *redisSystem
	name   string
	value  string
}

func (l *redisLocker) Acquire(ctx context.Context, name string) (int64, error) {
	value := rand.Text()
	err := l.system.settings.Pause.poll(ctx, func(ctx context.Context) (bool, error) {
		return l.try(ctx, name, value)
	})
	if err != nil {
		return 0, err
	}
	l.name, l.value = name, value
	return 0, nil
}

func (l *redisLocker) try(ctx context.Context, name, value string) (bool, error) {
	ttl := int64(l.system.settings.TTL / time.Millisecond)
	err := l.system.client.Do(ctx, "SET", name, value, "NX", "PX", ttl).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

func (l *redisLocker) Release(ctx context.Context) error {
	deleted, err := l.system.unlock.Run(ctx, l.system.client, []string{l.name}, l.value).Int()
	if err == nil && deleted != 1 {
		err = errLost
	}
	return err
}

func (l *redisLocker) Close() error { return nil }

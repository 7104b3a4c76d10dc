package holders

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// setAndCount takes a key that is free, and draws the next number with it.
	setAndCount = `if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return redis.call("INCR", KEYS[2]) end return 0`

	// compareAndExtend and compareAndDelete touch a key only if it has our value.
	compareAndExtend = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`
	compareAndDelete = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
)

// Counter is the key that fences of a name are counted in.
func Counter(name string) string { return name + ":fence" }

// redisHolder has a lock with a value that nobody else has.
type redisHolder struct {
	client *redis.Client
	ttl    time.Duration
	name   string
	value  string
	*kept
}

func newRedis(address string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: address, MaxRetries: -1, // a request that is sent twice could be done twice
		DialTimeout: callTimeout, ReadTimeout: callTimeout, ContextTimeoutEnabled: true,
	})
}

func openRedis(c Config) Holder {
	return &redisHolder{client: newRedis(c.Addresses[0]), ttl: c.TTL}
}

func (h *redisHolder) Acquire(ctx context.Context, name string) (fence int64, err error) {
	var asked time.Time
	h.name = name
	err = poll(ctx, func(ctx context.Context) (bool, error) {
		asked, h.value = time.Now(), rand.Text()
		fence, err = h.run(ctx, setAndCount, []string{name, Counter(name)}, h.value, h.ttl.Milliseconds())
		return fence > 0, err
	})
	if err == nil {
		h.kept = keep(h.ttl, asked, func(ctx context.Context) (bool, error) {
			n, err := h.run(ctx, compareAndExtend, []string{name}, h.value, h.ttl.Milliseconds())
			return n == 1, err
		})
	}
	return fence, err
}

func (h *redisHolder) run(ctx context.Context, script string, keys []string, args ...any) (int64, error) {
	return h.client.Eval(ctx, script, keys, args...).Int64()
}

func (h *redisHolder) Release(ctx context.Context) error {
	h.stop()
	n, err := h.run(ctx, compareAndDelete, []string{h.name}, h.value)
	if err == nil && n != 1 {
		err = errGone
	}
	return err
}

func (h *redisHolder) Close() error {
	h.stop()
	return h.client.Close()
}

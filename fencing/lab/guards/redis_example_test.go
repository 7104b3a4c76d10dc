package guards_test

import (
	"context"
	"errors"
	"log"

	"github.com/redis/go-redis/v9"

	"lockside/fencing"
	"lockside/fencing/redisguard"
)

type redisClient struct{ redis.UniversalClient }

func (c redisClient) Eval(ctx context.Context, script string, keys []string, args ...any) (any, error) {
	return redis.NewScript(script).Run(ctx, c.UniversalClient, keys, args...).Result()
}

func Example_redis() {
	ctx := context.Background()
	token, err := fencing.FromEnv() // under lockside run
	if err != nil {
		log.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379", MaxRetries: -1})
	defer client.Close()
	guard := redisguard.New(redisClient{client}, "{job}:fence")
	if err := guard.Claim(ctx, token); err != nil {
		log.Fatal(err)
	}
	state, err := client.Get(ctx, "{job}:state").Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		log.Fatal(err)
	}
	err = guard.Write(ctx, token, redisguard.Write{
		Keys:     []string{"{job}:state", "{job}:log"},
		Commands: [][]any{{"SET", "{job}:state", state + "."}, {"RPUSH", "{job}:log", "done"}},
	})
	if errors.Is(err, fencing.ErrStale) {
		log.Fatal("another has the lock: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
}

package guards_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/lab/servers"
	"lockside/fencing/redisguard"
)

// startRedis runs a server that syncs what it acknowledges until the test ends.
func startRedis(t *testing.T, args ...string) *servers.Redis {
	t.Helper()
	program := servers.Programs{}.Find().Redis
	if program == "" {
		t.Skip("there is no redis-server; apt-get install redis-server")
	}
	server, err := servers.StartRedis(t.Context(), t.TempDir(), program, 1, servers.WithArgs(args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// connect is a client until the test ends.
func connect(t *testing.T, address string, retries int) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: address, MaxRetries: retries})
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// redisResources gives each case of the suite keys of its own. Guards are made for
// a client that goes through a wire.
func redisResources(t *testing.T, server *servers.Redis, retries int,
	guard func(client *redis.Client, tag string) fencing.Guard[redisguard.Write],
) func(t *testing.T) *fencingtest.Resource[redisguard.Write] {
	direct := connect(t, server.Addresses[0], 0)
	return func(t *testing.T) *fencingtest.Resource[redisguard.Write] {
		wire, err := fencingtest.NewWire(server.Addresses[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = wire.Close() }) // connections may have gone with the server
		client := connect(t, wire.Address(), retries)
		if err := redis.NewScript(redisguard.Script()).Load(t.Context(), client).Err(); err != nil {
			t.Fatal(err) // so that EVALSHA is what makes a change
		}
		tag := "{" + rand.Text() + "}"
		g := guard(client, tag)
		var tokens fencingtest.Tokens
		return &fencingtest.Resource[redisguard.Write]{
			Grant: func(context.Context) (fencingtest.Holder[redisguard.Write], error) {
				return fencingtest.Holder[redisguard.Write]{Guard: g, Token: tokens.Next()}, nil
			},
			Set: func(value string) redisguard.Write {
				return redisguard.Write{Keys: []string{tag + "value"}, Commands: [][]any{{"SET", tag + "value", value}}}
			},
			Value: func(ctx context.Context) (string, error) {
				value, err := direct.Get(ctx, tag+"value").Result()
				if errors.Is(err, redis.Nil) {
					return "", nil
				}
				return value, err
			},
			Restart: func(ctx context.Context) error {
				server.Kill(0)
				return server.Restart(ctx, 0)
			},
			LoseReply: func(ctx context.Context, call func(context.Context) error) error {
				return wire.Lose(ctx, "evalsha", call)
			},
		}
	}
}

// TestRedis runs the suite with a client that repeats nothing by itself, and with
// one that does, as it is by default.
func TestRedis(t *testing.T) {
	server := startRedis(t)
	for name, retries := range map[string]int{"repeating nothing": -1, "repeating": 3} {
		t.Run(name, func(t *testing.T) {
			fencingtest.Test(t, redisResources(t, server, retries, func(client *redis.Client, tag string) fencing.Guard[redisguard.Write] {
				return redisguard.New(redisClient{client}, tag+"fence")
			}))
		})
	}
}

// twoSteps reads the watermark, and then writes.
type twoSteps struct {
	client *redis.Client
	mark   string
}

func (g twoSteps) Claim(ctx context.Context, t fencing.Token) error {
	return g.write(ctx, t, fencing.Watermark.Admit, redisguard.Write{})
}

func (g twoSteps) Write(ctx context.Context, t fencing.Token, w redisguard.Write) error {
	return g.write(ctx, t, fencing.Watermark.Admit, w)
}

func (g twoSteps) WriteOnce(ctx context.Context, t fencing.Token, w redisguard.Write) error {
	return g.write(ctx, t, fencing.Watermark.AdmitOnce, w)
}

func (g twoSteps) write(ctx context.Context, t fencing.Token, admit func(fencing.Watermark, fencing.Token) (fencing.Watermark, error), w redisguard.Write) error {
	var seen fencing.Watermark
	text, err := g.client.Get(ctx, g.mark).Result()
	if err == nil {
		seen.Highest, err = fencing.Parse(text)
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	if _, err := admit(seen, t); err != nil {
		return err
	}
	for _, command := range append(slices.Clone(w.Commands), []any{"SET", g.mark, t.String()}) {
		if err := g.client.Do(ctx, command...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// asNumbers is fence.lua in short, with Lua's numbers.
const asNumbers = `
local seen = redis.call('GET', KEYS[1])
if seen and tonumber(ARGV[2]) < tonumber(seen) then return {'stale', seen} end
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[4] then redis.call(unpack(ARGV, 5)) end
return {'ok'}`

// doubles runs that script.
type doubles struct{ redisClient }

func (c doubles) Eval(ctx context.Context, _ string, keys []string, args ...any) (any, error) {
	return c.redisClient.Eval(ctx, asNumbers, keys, args...)
}

// TestBrokenRedisGuards holds that the suite, on the real server, finds what is
// wrong with guards that are easily written.
func TestBrokenRedisGuards(t *testing.T) {
	server := startRedis(t)
	for name, broken := range map[string]struct {
		guard func(client *redis.Client, tag string) fencing.Guard[redisguard.Write]
		fails string
		as    string
	}{
		"GET and then SET": {func(client *redis.Client, tag string) fencing.Guard[redisguard.Write] {
			return twoSteps{client, tag + "fence"}
		}, "writers that race", "was accepted after|the value is"},
		"numbers of Lua": {func(client *redis.Client, tag string) fencing.Guard[redisguard.Write] {
			return redisguard.New(doubles{redisClient{client}}, tag+"fence")
		}, "numbers are compared as numbers", "want it refused as stale"},
	} {
		t.Run(name, func(t *testing.T) {
			mustFail(t, broken.fails, broken.as, redisResources(t, server, -1, broken.guard))
		})
	}
}

// TestRedisUndoesNothing holds what the documentation says of a command that
// fails.
func TestRedisUndoesNothing(t *testing.T) {
	client := connect(t, startRedis(t).Addresses[0], 0)
	guard := redisguard.New(redisClient{client}, "{u}fence")
	err := guard.Write(t.Context(), fencing.Token{Fence: 7}, redisguard.Write{
		Keys:     []string{"{u}a", "{u}b"},
		Commands: [][]any{{"SET", "{u}a", "x"}, {"INCR", "{u}a"}, {"SET", "{u}b", "x"}},
	})
	if err == nil || errors.Is(err, fencing.ErrStale) {
		t.Errorf("a command that fails: %v", err)
	}
	for key, want := range map[string]int64{"{u}a": 1, "{u}b": 0, "{u}fence": 1} {
		if n, err := client.Exists(t.Context(), key).Result(); err != nil || n != want {
			t.Errorf("%s: %d, %v, want %d", key, n, err, want)
		}
	}
	if err := guard.Claim(t.Context(), fencing.Token{Fence: 6}); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("a claim with a lower token: %v", err)
	}
}

// TestRedisScriptRefusesNonsense holds that the script writes nothing unless all
// it was given makes sense.
func TestRedisScriptRefusesNonsense(t *testing.T) {
	client := connect(t, startRedis(t).Addresses[0], 0)
	eval := func(args ...any) (any, error) {
		return redisClient{client}.Eval(t.Context(), redisguard.Script(), []string{"{n}fence", "{n}a"}, args...)
	}
	for _, args := range [][]any{
		{},
		{"claim"},
		{"Claim", "7", ""},
		{"claim", "7", "", 3, "SET", "{n}a", "x"},
		{"write", "7", ""},
		{"write", "7", "", 3, "SET", "{n}a"},
		{"write", "7", "", 3, "SET", "{n}a", "x", 1},
		{"write", "7", "", "SET", "{n}a", "x"},
		{"write", "7", "", 0},
		{"write", "7", "", -1, "SET"},
		{"write", "7", "", 1.5, "SET", "{n}a", "x"},
		{"write", "7", "", 1.5, "SET", "{n}a"},
		{"write", "7", "", "nan", "SET", "{n}a", "x"},
		{"claim", "7"},
	} {
		if reply, err := eval(args...); err == nil {
			t.Errorf("%v: %v", args, reply)
		}
	}
	for _, fence := range []string{"", "0", "-1", "07", "7 ", "1e3", "s7", "9223372036854775808", "10000000000000000000"} {
		if reply, err := eval("claim", fence, ""); fmt.Sprint(reply, err) != "[token] <nil>" {
			t.Errorf("fence %q: %v, %v", fence, reply, err)
		}
	}
	if n, err := client.Exists(t.Context(), "{n}fence", "{n}a").Result(); err != nil || n != 0 {
		t.Errorf("%d keys were written, %v", n, err)
	}
	if err := client.HSet(t.Context(), "{n}fence", "fence", "6").Err(); err != nil {
		t.Fatal(err)
	}
	if reply, err := eval("claim", "7"); err == nil {
		t.Errorf("without the word for a cluster: %v", reply)
	}
	if err := client.HSet(t.Context(), "{n}fence", "fence", "seven").Err(); err != nil {
		t.Fatal(err)
	}
	if reply, err := eval("claim", "9", ""); err == nil {
		t.Errorf("a watermark that is none: %v", reply)
	}
}

// TestRedisCheck looks at real servers.
func TestRedisCheck(t *testing.T) {
	server := startRedis(t)
	client := connect(t, server.Addresses[0], 0)
	guard := redisguard.New(redisClient{client}, "fence")
	if err := guard.Check(t.Context()); err != nil {
		t.Errorf("a server that syncs: %v", err)
	}
	for _, setting := range [][2]string{{"maxmemory", "100mb"}, {"maxmemory-policy", "allkeys-lru"}, {"appendonly", "no"}} {
		if err := client.ConfigSet(t.Context(), setting[0], setting[1]).Err(); err != nil {
			t.Fatal(err)
		}
	}
	err := guard.Check(t.Context())
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 2 || !errors.Is(err, redisguard.ErrForgetful) {
		t.Errorf("a server that evicts and keeps no file: %v", err)
	}
}

// TestRedisCluster holds that a guard works in a Redis Cluster, of one server, and that
// keys of different slots are refused as a whole.
func TestRedisCluster(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, bus, _ := net.SplitHostPort(listener.Addr().String())
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	server := startRedis(t, "--cluster-enabled", "yes", "--cluster-port", bus)
	plain := connect(t, server.Addresses[0], 0)
	if err := plain.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for state := ""; !strings.Contains(state, "cluster_state:ok"); {
		if state, err = plain.ClusterInfo(ctx).Result(); err != nil {
			t.Fatal(err)
		}
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: server.Addresses})
	defer client.Close()
	guard := redisguard.New(redisClient{client}, "{job}:fence")
	write := func(key string) error {
		return guard.Write(t.Context(), fencing.Token{Fence: 7}, redisguard.Write{
			Keys: []string{key}, Commands: [][]any{{"SET", key, "x"}},
		})
	}
	if err := write("job:state"); err == nil || errors.Is(err, fencing.ErrStale) {
		t.Errorf("a write to a key of another slot: %v", err)
	}
	if n, err := plain.DBSize(t.Context()).Result(); err != nil || n != 0 {
		t.Errorf("it leaves %d keys, %v", n, err)
	}
	if err := write("{job}:state"); err != nil {
		t.Error(err)
	}
	if err := guard.Claim(t.Context(), fencing.Token{Fence: 6}); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("a claim with a lower token: %v", err)
	}
}

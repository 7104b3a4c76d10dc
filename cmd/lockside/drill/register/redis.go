package register

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"lockside/fencing"
)

// redis is a hash that the drill makes.
type redis struct {
	cli   program
	place string
	key   string
}

// redisScript is the check and the change in one step: Redis runs nothing beside a
// script. Without a third argument it is a claim.
const redisScript = `local seen = redis.call('HMGET', KEYS[1], 'fence', 'cluster')
if tonumber(ARGV[1]) < tonumber(seen[1]) or (seen[2] ~= '' and seen[2] ~= ARGV[2]) then
  return seen[1] .. '|' .. seen[2]
end
redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'cluster', ARGV[2])
if ARGV[3] then redis.call('HSET', KEYS[1], 'value', ARGV[3]) end
return 'done'
`

func newRedis(u *url.URL, key string) *redis {
	bare, user, password := withoutPassword(u)
	r := &redis{place: fmt.Sprintf("key %s of %s", key, bare), key: key}
	plain := *bare
	plain.User = nil // redis-cli takes a user's name alone for a password
	r.cli = program{name: "redis-cli", install: "redis-tools", args: []string{"--no-auth-warning", "-u", plain.String()}}
	if user != "" {
		r.cli.args = append(r.cli.args, "--user", user)
	}
	if password != "" {
		r.cli.env = append(r.cli.env, "REDISCLI_AUTH="+password)
	}
	return r
}

// run returns the reply. redis-cli's exit code is that of a success after an error's
// reply, which begins with a word in upper case.
func (r *redis) run(ctx context.Context, args ...string) (string, error) {
	output, err := r.cli.run(ctx, "", args...)
	if err != nil {
		return "", err
	}
	word, _, _ := strings.Cut(output, " ")
	if len(word) > 2 && word == strings.ToUpper(word) && word != strings.ToLower(word) {
		return "", fmt.Errorf("run redis-cli%s", firstLine(output))
	}
	return output, nil
}

func (r *redis) Make(ctx context.Context, value string) error {
	_, err := r.run(ctx, "HSET", r.key, "value", value, "fence", "0", "cluster", "")
	return err
}

func (r *redis) Remove(ctx context.Context, _ fencing.Token) error {
	_, err := r.run(ctx, "DEL", r.key)
	return err
}

func (r *redis) Read(ctx context.Context) (string, error) {
	return r.run(ctx, "HGET", r.key, "value")
}

func (r *redis) Claim(ctx context.Context, t fencing.Token) error { return r.change(ctx, t) }

func (r *redis) Write(ctx context.Context, t fencing.Token, value string) error {
	if t.IsZero() {
		_, err := r.run(ctx, "HSET", r.key, "value", value)
		return err
	}
	return r.change(ctx, t, value)
}

func (r *redis) change(ctx context.Context, t fencing.Token, value ...string) error {
	args := []string{"EVAL", redisScript, "1", r.key, fmt.Sprint(t.Fence), t.Cluster.String()}
	output, err := r.run(ctx, append(args, value...)...)
	if err != nil || output == "done" {
		return err
	}
	fence, cluster, _ := strings.Cut(output, "|")
	highest, err := tokenOf(fence, cluster)
	if err != nil {
		return fmt.Errorf("read what redis-cli wrote, %.60q: %w", output, err)
	}
	return refusal(t, highest)
}

func (r *redis) Place() string { return r.place }

func (r *redis) Recipe() string {
	return "-- First, once: HSET KEY value TEXT fence 0 cluster ''. Then, for each claim and each write,\n" +
		"-- redis-cli EVAL SCRIPT 1 KEY FENCE CLUSTER [TEXT], where SCRIPT is\n" + redisScript
}

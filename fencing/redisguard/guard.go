package redisguard

import (
	"context"
	_ "embed"
	"fmt"

	"lockside/fencing"
)

//go:embed fence.lua
var script string

// Script is fence.lua, for who keeps scripts on the server.
func Script() string { return script }

// An Evaler is a client of Redis or Valkey.
type Evaler interface {
	// Eval runs a script, as EVAL does or as EVALSHA does where the server has the
	// script. Arrays come back as []any or []string, their elements as string or
	// []byte.
	Eval(ctx context.Context, script string, keys []string, args ...any) (any, error)
}

// A Write is commands that are done together, in order.
type Write struct {
	// Keys are all keys that the commands touch. In a cluster they are in the
	// watermark's slot.
	Keys []string

	// Commands are words as the client takes them: {"SET", "{job}:state", "done"}.
	Commands [][]any
}

// A Guard keeps the watermark of the resource that some keys are. It is a
// [fencing.Guard] of a [Write]. The resource comes into being with its first call.
type Guard struct {
	server Evaler
	key    string
}

var _ fencing.Guard[Write] = (*Guard)(nil)

// New is the guard whose watermark is at a key, which is for nothing else.
func New(server Evaler, key string) *Guard { return &Guard{server: server, key: key} }

// Claim raises the watermark to the token.
func (g *Guard) Claim(ctx context.Context, t fencing.Token) error {
	return g.run(ctx, "claim", t, Write{})
}

// Write does the commands if the token is no lower than the watermark. An error of
// one of them leaves those before it done, and the watermark raised.
func (g *Guard) Write(ctx context.Context, t fencing.Token, w Write) error {
	return g.run(ctx, "write", t, w)
}

// WriteOnce is Write for a token that is greater than the watermark. Where a command
// of it has failed, [fencing.ErrSpent] says no more than that it began.
func (g *Guard) WriteOnce(ctx context.Context, t fencing.Token, w Write) error {
	return g.run(ctx, "once", t, w)
}

// run runs the script.
func (g *Guard) run(ctx context.Context, verb string, t fencing.Token, w Write) error {
	if err := t.Check(); err != nil {
		return err
	}
	if verb != "claim" && len(w.Commands) == 0 {
		return fmt.Errorf("%s of %s: it has no commands; use Claim", verb, g.key)
	}
	args := []any{verb, fmt.Sprint(t.Fence), t.Cluster.String()}
	for _, command := range w.Commands {
		if len(command) == 0 {
			return fmt.Errorf("%s of %s: a command has no words", verb, g.key)
		}
		args = append(append(args, len(command)), command...)
	}
	reply, err := g.server.Eval(ctx, script, append([]string{g.key}, w.Keys...), args...)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", verb, g.key, err)
	}
	return g.judge(reply, t)
}

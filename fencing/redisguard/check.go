package redisguard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrForgetful is for a server that is set up so that it may forget watermarks.
var ErrForgetful = errors.New("the server may forget watermarks")

// info is what the server tells of itself.
const info = `return {redis.call('INFO')}`

// Check looks for settings under which the server forgets watermarks: that it
// evicts them, that it keeps no append-only file, or that it is a replica. Its
// error is an [ErrForgetful] with all that was found. It does not see appendfsync,
// nor whether a replica may take the server's place.
func (g *Guard) Check(ctx context.Context) error {
	reply, err := g.server.Eval(ctx, info, []string{g.key})
	if err != nil {
		return fmt.Errorf("look at the server's settings: %w", err)
	}
	words := texts(reply)
	if len(words) != 1 {
		return fmt.Errorf("look at the server's settings: INFO is %v", reply)
	}
	var found []error
	for _, one := range forgets(parseInfo(words[0])) {
		found = append(found, fmt.Errorf("%w: %s", ErrForgetful, one))
	}
	return errors.Join(found...)
}

// forgets is what is wrong with a server, in sentences.
func forgets(settings map[string]string) []string {
	var found []string
	policy := settings["maxmemory_policy"]
	if settings["maxmemory"] != "0" && strings.HasPrefix(policy, "allkeys-") {
		found = append(found, "it evicts any key when memory is short; set maxmemory-policy noeviction, not "+policy)
	}
	if settings["aof_enabled"] != "1" {
		found = append(found, "a restart loses what was written last; set appendonly yes and appendfsync always")
	}
	if settings["role"] != "master" {
		found = append(found, "it is a replica, with the watermarks of a moment ago; connect to the primary")
	}
	return found
}

// parseInfo reads the lines of a key, a colon and a value in the reply to INFO.
func parseInfo(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			all[key] = value
		}
	}
	return all
}

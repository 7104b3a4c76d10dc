package redisguard

import (
	"context"
	"errors"
	"slices"
	"testing"

	"lockside/fencing"
)

// fake answers every script with a reply, and keeps what it was asked.
type fake struct {
	reply any
	err   error

	keys []string
	args []any
}

func (f *fake) Eval(_ context.Context, _ string, keys []string, args ...any) (any, error) {
	f.keys, f.args = keys, args
	return f.reply, f.err
}

const home fencing.Cluster = 0xcdf818194e3a8c32

func TestScriptGetsKeysAndWords(t *testing.T) {
	f := &fake{reply: []any{"ok"}}
	err := New(f, "{a}:fence").WriteOnce(t.Context(), fencing.Token{Cluster: home, Fence: 8123}, Write{
		Keys:     []string{"{a}:x", "{a}:y"},
		Commands: [][]any{{"SET", "{a}:x", 7}, {"DEL", "{a}:y"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"{a}:fence", "{a}:x", "{a}:y"}; !slices.Equal(f.keys, want) {
		t.Errorf("keys %q, want %q", f.keys, want)
	}
	want := []any{"once", "8123", "cdf818194e3a8c32", 3, "SET", "{a}:x", 7, 2, "DEL", "{a}:y"}
	if !slices.Equal(f.args, want) {
		t.Errorf("arguments %v, want %v", f.args, want)
	}
}

func TestReplies(t *testing.T) {
	token := fencing.Token{Cluster: home, Fence: 8123}
	own := errors.New("WRONGTYPE")
	for name, test := range map[string]struct {
		reply   any
		err     error
		want    error
		highest fencing.Token
	}{
		"ok":                 {reply: []any{"ok"}},
		"bytes":              {reply: []any{[]byte("ok")}},
		"strings":            {reply: []string{"ok"}},
		"stale":              {reply: []any{"stale", "9007199254740993"}, want: fencing.ErrStale, highest: fencing.Token{Cluster: home, Fence: 1<<53 + 1}},
		"spent":              {reply: []any{"spent"}, want: fencing.ErrSpent},
		"no token":           {reply: []any{"token"}, want: fencing.ErrToken},
		"other cluster":      {reply: []any{"cluster", "9", "ab"}, want: fencing.ErrCluster, highest: fencing.Token{Cluster: 0xab, Fence: 9}},
		"other without one":  {reply: []any{"cluster", "9", ""}, want: fencing.ErrCluster, highest: fencing.Token{Fence: 9}},
		"other, set by hand": {reply: []any{"cluster", "0", "ab"}, want: fencing.ErrCluster, highest: fencing.Token{Cluster: 0xab}},
		"the server's error": {err: own, want: own},
	} {
		t.Run(name, func(t *testing.T) {
			err := New(&fake{reply: test.reply, err: test.err}, "k").Claim(t.Context(), token)
			if !errors.Is(err, test.want) {
				t.Fatalf("%v, want %v", err, test.want)
			}
			var highest fencing.Token
			if stale, ok := errors.AsType[*fencing.StaleError](err); ok {
				highest = stale.Highest
			}
			if other, ok := errors.AsType[*fencing.ClusterError](err); ok {
				highest = other.Highest
			}
			if highest != test.highest {
				t.Errorf("it tells %v as the highest, want %v", highest, test.highest)
			}
		})
	}
}

// TestStrangeReplies holds that what the script never returns is neither success
// nor a refusal.
func TestStrangeReplies(t *testing.T) {
	for _, reply := range []any{
		nil, int64(1), "ok", []any{}, []any{int64(1)}, []any{"ok", "ok"}, []any{"stale"}, []any{"stale", "x"}, []any{"cluster", "9", "x"},
	} {
		err := New(&fake{reply: reply}, "k").Claim(t.Context(), fencing.Token{Fence: 1})
		if err == nil {
			t.Errorf("%v passes", reply)
		}
		for _, refusal := range []error{fencing.ErrStale, fencing.ErrSpent, fencing.ErrCluster, fencing.ErrToken, fencing.ErrUnknown} {
			if errors.Is(err, refusal) {
				t.Errorf("%v is told as %v", reply, refusal)
			}
		}
	}
}

func TestWritesOfNothing(t *testing.T) {
	f := &fake{reply: []any{"ok"}}
	for _, w := range []Write{{}, {Commands: [][]any{{}}}} {
		if err := New(f, "k").Write(t.Context(), fencing.Token{Fence: 1}, w); err == nil || f.keys != nil {
			t.Errorf("%v: %v, and the server was asked of %q", w, err, f.keys)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		info  string
		found int
	}{
		"sound":            {"# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:1\r\nrole:master\r\n", 0},
		"evicts expiring":  {"maxmemory:100\r\nmaxmemory_policy:volatile-lru\r\naof_enabled:1\r\nrole:master\r\n", 0},
		"evicts anything":  {"maxmemory:100\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:1\r\nrole:master\r\n", 1},
		"keeps no file":    {"maxmemory:0\r\naof_enabled:0\r\nrole:master\r\n", 1},
		"a replica":        {"maxmemory:0\r\naof_enabled:1\r\nrole:slave\r\n", 1},
		"all that is told": {"maxmemory:1\r\nmaxmemory_policy:allkeys-random\r\naof_enabled:0\r\nrole:slave\r\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			err := New(&fake{reply: []any{test.info}}, "k").Check(t.Context())
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				found = len(joined.Unwrap())
			}
			if found != test.found || errors.Is(err, ErrForgetful) != (found > 0) {
				t.Errorf("%d found, want %d: %v", found, test.found, err)
			}
		})
	}
	for _, f := range []*fake{{reply: "x"}, {err: errors.New("NOPERM")}} {
		if err := New(f, "k").Check(t.Context()); err == nil || errors.Is(err, ErrForgetful) {
			t.Errorf("%v", err)
		}
	}
}

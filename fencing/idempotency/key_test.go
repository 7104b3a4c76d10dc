package idempotency_test

import (
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"

	"lockside/fencing"
	"lockside/fencing/idempotency"
)

func at(fence int64) fencing.Token { return fencing.Token{Cluster: 0xc1, Fence: fence} }

func TestKeys(t *testing.T) {
	longest := fencing.Token{Cluster: math.MaxUint64, Fence: math.MaxInt64}
	seen := map[string]string{}
	for _, one := range []struct {
		name  string
		token fencing.Token
		step  int64
		want  string // its beginning
	}{
		{"nightly", fencing.Token{Fence: 8123}, 1, "nightly:8123:1"},
		{"nightly", fencing.Token{Cluster: 0xcdf818194e3a8c32, Fence: 8123}, 0, "nightly:8123@cdf818194e3a8c32:0"},
		{"a/b c:1%~é\"\\\n", at(1), 2, "a%2Fb%20c%3A1%25%7E%C3%A9%22%5C%0A:1@c1:2"},
		{strings.Repeat("n", 71), longest, math.MaxInt64, strings.Repeat("n", 71) + ":9223372036854775807@ffffffffffffffff:9223372036854775807"},
		{strings.Repeat("n", 72), longest, math.MaxInt64, strings.Repeat("n", 27) + "~"},
		{strings.Repeat("n", 73), longest, math.MaxInt64, strings.Repeat("n", 27) + "~"},
		{strings.Repeat("/", 24), longest, math.MaxInt64, "%2F%2F%2F%2F%2F%2F%2F%2F%2F~"},
	} {
		k := idempotency.New(one.name, one.token, one.step)
		text := k.String()
		if !strings.HasPrefix(text, one.want) || len(text) > idempotency.MaxLength {
			t.Errorf("the key is %s of %d bytes, want %s", text, len(text), one.want)
		}
		if before, found := seen[text]; found {
			t.Errorf("%q and %q have one key", before, one.name)
		}
		seen[text] = one.name
		if parsed, err := idempotency.Parse(text); err != nil || parsed != k {
			t.Errorf("%s is read as %v, %v", text, parsed, err)
		}
		header := http.Header{}
		k.Set(header)
		if parsed, err := idempotency.FromHeader(header); err != nil || parsed != k || header.Get("Idempotency-Key") != `"`+text+`"` {
			t.Errorf("%s is read from %v as %v, %v", text, header, parsed, err)
		}
	}
}

func TestNoKeys(t *testing.T) {
	for _, text := range []string{
		"", "a", "a:1", ":1:1", "a:1:1:1", "a:0:1", "a:1:-1", "a:1:01", "a:1:+1", "a:1:x", "a:01:1", "a:s1:1", "a b:1:1", "é:1:1", "a:1@:1", "a:1:1 ",
		"a:1:9223372036854775808", strings.Repeat("a", 72) + ":1:1", `"a:1:1"`,
		"a%2fb:1:1", "%61:1:1", "a%2:1:1", "%:1:1", "a~b:1:1", strings.Repeat("a", 72-44) + "~" + strings.Repeat("b", 43) + ":1:1", // other spellings
	} {
		if k, err := idempotency.Parse(text); !errors.Is(err, idempotency.ErrKey) {
			t.Errorf("%q is read as %v, %v", text, k, err)
		}
	}
	for _, values := range [][]string{nil, {"a:1:1", "a:1:1"}, {`"a:1:1`}, {`"`}, {`""a:1:1""`}, {`"a:1:1", "a:1:2"`}} {
		if k, err := idempotency.FromHeader(http.Header{"Idempotency-Key": values}); !errors.Is(err, idempotency.ErrKey) {
			t.Errorf("%q is read as %v, %v", values, k, err)
		}
	}
	if k, err := idempotency.FromHeader(http.Header{"Idempotency-Key": {"a:1:1"}}); err != nil || k != idempotency.New("a", fencing.Token{Fence: 1}, 1) {
		t.Errorf("without quotes: %v, %v", k, err)
	}
	if _, err := idempotency.Parse("a:s12:1"); !errors.Is(err, fencing.ErrShared) {
		t.Errorf("a shared lock's id: %v, want %v", err, fencing.ErrShared)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("nightly:8123@cdf818194e3a8c32:1")
	f.Add("%2F~:1:0")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := idempotency.Parse(text)
		if err == nil && k.String() != text {
			t.Errorf("%q is read as %q", text, k)
		}
		if err != nil && !errors.Is(err, idempotency.ErrKey) {
			t.Error(err)
		}
	})
}

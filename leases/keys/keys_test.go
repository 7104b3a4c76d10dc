package keys_test

import (
	"strings"
	"testing"

	"lockside/leases/keys"
)

func TestEscape(t *testing.T) {
	for name, want := range map[string]string{
		"nightly":    "nightly",
		"a/b":        "a%2Fb",
		"50% = half": "50%25%20%3D%20half",
		"grüße":      "gr%C3%BC%C3%9Fe",
		"A-Z._~:@+,": "A-Z._~:@+,",
		"!":          "%21",
	} {
		if got := keys.Escape(name); got != want {
			t.Errorf("Escape(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestUnescapeRefusesWhatEscapeDoesNotWrite(t *testing.T) {
	for _, text := range []string{"a/b", "%", "%4", "%zz", "%41", "%2f", "a b"} {
		if name, ok := keys.Unescape(text); ok {
			t.Errorf("Unescape(%q) = %q, want a refusal", text, name)
		}
	}
}

func TestEnd(t *testing.T) {
	for prefix, want := range map[string]string{"a/": "a0", "a\xff": "b", "\xff": "\x00"} {
		if got := keys.End(prefix); got != want {
			t.Errorf("End(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func FuzzQueuesNeverNest(f *testing.F) {
	f.Add("x", "x/y")
	f.Add("a", "a%2F")
	f.Fuzz(func(t *testing.T, a, b string) {
		qa, qb := keys.Queue("lockside/", a), keys.Queue("lockside/", b)
		if a != b && (strings.HasPrefix(qa, qb) || strings.HasPrefix(qb, qa)) {
			t.Errorf("the queues of %q and %q nest: %q %q", a, b, qa, qb)
		}
		key := keys.Entry(qa, 0x694d, 3)
		if name, rest, ok := keys.Split("lockside/", key); a != "" && (!ok || name != a || rest != "694d-3") {
			t.Errorf("Split(%q) = %q, %q, %v", key, name, rest, ok)
		}
	})
}

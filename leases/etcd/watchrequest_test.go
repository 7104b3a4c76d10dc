package etcd

import "testing"

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{
		"":            "\x00",
		"lockside/a/": "lockside/a0",
		"a\xff":       "b",
		"\xff\xff":    "\x00",
	} {
		if got := string(prefixEnd(prefix)); got != want {
			t.Errorf("prefixEnd(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func TestWireIDsAvoidZero(t *testing.T) {
	for _, id := range []uint64{0, 1, 1 << 40} {
		if wire := wireID(id); wire <= 0 || ownerID(wire) != id {
			t.Errorf("id %d is %d on the wire and %d back", id, wire, ownerID(wire))
		}
	}
}

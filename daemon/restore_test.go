package daemon

import "testing"

// TestRootAndTheDaemonsUserMayAccept, whoever else may lock. That other users are
// refused on a real socket is held by TestRestoreIsNotForEverybody.
func TestRootAndTheDaemonsUserMayAccept(t *testing.T) {
	const root, daemon, other, nobody = 0, 990, 1000, 65534
	for _, test := range []struct {
		user uint32
		own  int
		want bool
	}{
		{root, root, true}, {root, daemon, true}, {daemon, daemon, true},
		{daemon, root, false}, {other, root, false}, {other, daemon, false}, {nobody, daemon, false},
	} {
		if got := mayAccept(test.user, test.own); got != test.want {
			t.Errorf("user %d at a daemon of user %d: %v", test.user, test.own, got)
		}
	}
}

package daemon_test

import (
	"testing"

	"lockside/leases/etcdtest"
)

// TestHelloTellsTheMargin: a client learns of a margin that does not go by the TTL,
// and of no other.
func TestHelloTellsTheMargin(t *testing.T) {
	member := etcdtest.Start(t)
	serve(t, member).dial().ask("HELLO", "OK lockside=1 host=<word> session=<word> clock=<duration>")
	serve(t, member, "--margin=700ms").dial().ask("HELLO", "OK lockside=1 host=<word> session=<word> margin=0.7s clock=<duration>")
}

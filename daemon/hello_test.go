package daemon_test

import (
	"testing"
	"time"

	"lockside/daemon/config"
	"lockside/ipc"
	"lockside/leases/etcdtest"
)

// TestHelloTellsTheMargin: a client learns of a margin that does not go by the TTL,
// and of no other.
func TestHelloTellsTheMargin(t *testing.T) {
	member := etcdtest.Start(t)
	serve(t, member).dial().ask("HELLO", "OK lockside=1 host=<word> session=<word> clock=<duration>")
	serve(t, member, "--margin=700ms").dial().ask("HELLO", "OK lockside=1 host=<word> session=<word> margin=0.7s clock=<duration>")
}

// TestClientsKnowTheMargin: package ipc, which imports nothing of the daemon's, has the
// same rule for it.
func TestClientsKnowTheMargin(t *testing.T) {
	h := serve(t, etcdtest.Start(t))
	client, err := ipc.Dial(t.Context(), h.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, ttl := range []time.Duration{3 * time.Second, 6 * time.Second, time.Minute} {
		lock, err := client.Lock(t.Context(), ttl.String(), ipc.TTL(ttl))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := lock.Margin(), (config.Config{}).MarginOf(lock.TTL()); got != want {
			t.Errorf("with a TTL of %v the margin is %v, want %v", lock.TTL(), got, want)
		}
	}
}

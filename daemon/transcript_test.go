package daemon_test

import (
	"net"
	"os"
	"testing"

	"lockside/ipc/transcript"
	"lockside/leases/etcdtest"
)

// TestTranscripts replays what PROTOCOL.md shows.
func TestTranscripts(t *testing.T) {
	document, err := os.ReadFile("../ipc/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := transcript.Parse(string(document))
	if err != nil {
		t.Fatal(err)
	}
	h := serve(t, etcdtest.Start(t))
	for _, one := range all {
		t.Run(one.Name, func(t *testing.T) {
			transcript.Run(t, func() net.Conn {
				conn, err := net.Dial("unix", h.socket)
				if err != nil {
					t.Fatal(err)
				}
				return conn
			}, one)
		})
		h.awaitEntries(0)
	}
}

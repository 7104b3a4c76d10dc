package faults_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

// TestSuccessorIsGrantedAtOnce: the second client on a host gets the lock the
// moment the first dies, with a greater fence.
func TestSuccessorIsGrantedAtOnce(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	etcd := server.Client(t)
	h := startHost(t, "a", server.Endpoint)

	t.Run("closed", func(t *testing.T) {
		first, held := h.lock(t, "nightly")
		succeeds(t, h, held.fence, first.hangUp)
	})
	t.Run("killed", func(t *testing.T) {
		first := start(t, clientVariable+"="+h.config.Socket)
		if _, err := first.stdin.Write([]byte("LOCK nightly\n")); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(first.line(), "fence=")
		digits, _, _ := strings.Cut(rest, " ")
		fence, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		succeeds(t, h, fence, first.kill)
	})
	nothingLeft(t, etcd, atOnce)
}

// succeeds lets a client wait, ends the holder, and expects the grant.
func succeeds(t *testing.T, h *host, held int64, end func()) {
	t.Helper()
	second := h.wait(t, "nightly")
	began := time.Now()
	end()
	next := second.granted()
	if took := time.Since(began); took > atOnce {
		t.Errorf("the successor waited for %v", took)
	}
	if next.fence <= held {
		t.Errorf("fence %d after %d", next.fence, held)
	}
	second.hangUp()
}

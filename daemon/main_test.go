package daemon_test

import (
	"testing"

	"go.uber.org/goleak"

	"lockside/leases/etcdtest"
)

// TestMain holds that a daemon that has ended leaves no goroutine.
func TestMain(m *testing.M) {
	etcdtest.Member()
	goleak.VerifyTestMain(m)
}

package daemon_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"lockside/leases/etcdtest"
)

// TestMain holds that a daemon that has ended leaves no goroutine.
func TestMain(m *testing.M) {
	etcdtest.Member()
	if socket, ok := os.LookupEnv(mobVariable); ok {
		mob(socket)
	}
	goleak.VerifyTestMain(m)
}

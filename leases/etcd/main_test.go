package etcd_test

import (
	"testing"

	"go.uber.org/goleak"

	"lockside/leases/etcdtest"
)

func TestMain(m *testing.M) {
	etcdtest.Member()
	goleak.VerifyTestMain(m)
}

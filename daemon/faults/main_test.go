package faults_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"lockside/leases/etcdtest"
)

const (
	// patience bounds every wait for what must happen. It is only ever used up
	// by a failure.
	patience = 30 * time.Second

	// atOnce bounds how soon a client is told of what etcd or another client
	// knows. It takes milliseconds, but machines that run tests stall. A renewal
	// of a lease of the default TTL would take longer to find out.
	atOnce = 3 * time.Second

	// ttl is the shortest that leaves room for a margin of a second and two
	// renewals.
	ttl    = 4 * time.Second
	margin = time.Second
)

// TestMain runs what this process was started as: an etcd member, a daemon, a
// client, or the tests.
func TestMain(m *testing.M) {
	etcdtest.Member()
	enterBoot()
	runAsDaemon()
	runAsClient()
	waitSideBySide()
	os.Exit(m.Run())
}

// waitSideBySide has more tests run at once than there are processors, unless
// -parallel says how many: for most of their time they wait.
func waitSideBySide() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", less("4", "3")) // it is a number
	}
}

package leases

import (
	"errors"
	"fmt"

	"lockside/leases/etcd"
)

// mostRaised is how far a revision is raised by writing. Each write stays in etcd
// until it is compacted, so that more would fill it.
const mostRaised = 1_000_000

// behind says what to do about a cluster that has not come as far as this host
// remembers.
func behind(now, remembered int64) error {
	missing := remembered - now
	raise := fmt.Sprintf("or add --raise, which writes to etcd %d times; ", missing)
	if missing > mostRaised {
		raise = ""
	}
	return fmt.Errorf("%w: its revision %d is %d behind %d, which this host has seen, so fences would repeat. "+
		"Restore it again with etcdutl snapshot restore --bump-revision %d --mark-compacted and accept that; %s"+
		"or, once every resource has forgotten the fences that it has seen, add --lower-fences %d",
		ErrRegressed, now, missing, remembered, max(1_000_000_000, missing), raise, remembered)
}

// disagreement is the error of endpoints that cannot be accepted: if they do not
// answer, or contradict each other.
func disagreement(err error) error {
	if errors.Is(err, etcd.ErrRegressed) {
		return fmt.Errorf("%w: the endpoints answer for different clusters, or for one before and after it was restored: "+
			"see the daemon's log, and stop or configure away those that are not to be used", ErrRegressed)
	}
	return unavailable(err)
}

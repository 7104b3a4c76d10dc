package safety

import (
	"fmt"
	"strings"
)

// broken are the promises of lockside that results do not keep. That a daemon
// knows of revisions that it has not seen is not among them.
func broken(results []Result) []string {
	var all []string
	for _, r := range results {
		if r.Reason != "" || !strings.HasPrefix(r.System, Lockside) || r.System == atOnceName {
			continue
		}
		for _, text := range r.broken() {
			all = append(all, fmt.Sprintf("%s, %s, checked: %v: %s", r.System, r.Scenario, r.Checked, text))
		}
	}
	return all
}

func (r Result) broken() (all []string) {
	regressed := r.Scenario == Reset || r.Scenario == LostDisk && strings.HasSuffix(r.System, ", one member")
	if r.Checked && r.Lost {
		all = append(all, "a stale write was taken")
	}
	if r.Granted && !r.Rising() {
		all = append(all, fmt.Sprintf("fence %d was granted after %d", r.FenceB, r.FenceA))
	}
	if r.Granted && regressed {
		all = append(all, "the lock was granted although etcd's revisions had gone back")
	}
	if r.Early && r.Scenario != Pause {
		all = append(all, fmt.Sprintf("two had the lock for %v, and the first did not know", r.Overlap))
	}
	return all
}

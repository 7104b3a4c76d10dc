package safety

import (
	"fmt"
	"slices"
	"time"

	"lockside/fencing/lab/servers"
)

// Options say what to play.
type Options struct {
	Systems   []string // names; none are all
	Scenarios []string // likewise
	Short     bool     // leave out what shows nothing that is not shown elsewhere too
	Parallel  int      // stories at a time
	TTL       time.Duration

	Dir      string // where the servers' files go
	Keep     bool   // leave them there
	Programs servers.Programs
}

// Names are those of all systems.
func Names() []string {
	var all []string
	for _, k := range kinds() {
		all = append(all, k.Name)
	}
	return all
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	for _, name := range o.Systems {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("no system %s: there are %q", name, Names())
		}
	}
	for _, name := range o.Scenarios {
		if !slices.ContainsFunc(Scenarios(), func(s Scenario) bool { return s.Name == name }) {
			return fmt.Errorf("no scenario %s", name)
		}
	}
	switch {
	case o.Parallel < 1 || o.Parallel > 64:
		return fmt.Errorf("%d stories at a time: give 1 to 64", o.Parallel)
	case o.TTL < 3*time.Second || o.TTL > time.Minute || o.TTL%time.Second != 0:
		return fmt.Errorf("a TTL of %v: give whole seconds, 3s to 1m", o.TTL)
	}
	return nil
}

// kinds are the systems that are wanted.
func (o Options) kinds() []kind {
	return slices.DeleteFunc(kinds(), func(k kind) bool {
		return len(o.Systems) > 0 && !slices.Contains(o.Systems, k.Name)
	})
}

// scenarios are those that are wanted.
func (o Options) scenarios() []Scenario {
	return slices.DeleteFunc(Scenarios(), func(s Scenario) bool {
		return len(o.Scenarios) > 0 && !slices.Contains(o.Scenarios, s.Name)
	})
}

// wants reports whether a story is played. A short run has each system struck, most
// of them by a pause, and each scenario strike a system. Of lockside it shows as well
// what a lock alone does not prevent.
func (o Options) wants(k kind, scenario string, checked bool) bool {
	if !o.Short {
		return true
	}
	switch scenario {
	case Pause:
		return (checked == k.fenced || k.Name == Lockside) && k.reasons[Pause] == ""
	case Clock, Failover:
		return checked == k.fenced && (k.Name == "Redis" || k.Name == "Redlock, three of five reached")
	case LostDisk:
		return checked && (k.Name == Lockside+", one member" || k.Name == etcdKind().Name+", one member")
	case Reset:
		return checked && (k.Name == "Redis" || k.Name == Lockside || k.Name == atOnceName)
	}
	return checked && (k.Name == "Redis" || k.Name == Lockside)
}

package faults_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"lockside/daemon/config"
	"lockside/daemon/faults/netns"
	"lockside/leases/etcdtest"
)

// A bench is three members and some sites, each of them a host of a network.
type bench struct {
	*netns.Network
	told    *record
	cluster *etcdtest.Cluster
	members []*netns.Host // as in cluster.Members
	sites   []*site
}

// A site is a host of the network with its daemon.
type site struct {
	*host
	at      *netns.Host
	process *process
}

// newBench runs members, and a daemon for each default TTL, until the test ends.
func newBench(t testing.TB, ttls ...time.Duration) *bench {
	t.Helper()
	b := newMembers(t, len(ttls))
	for _, ttl := range ttls {
		b.addSite(t, ttl, nil)
	}
	return b
}

// newMembers runs members in a network that has room for so many sites.
func newMembers(t testing.TB, sites int, opts ...etcdtest.Option) *bench {
	t.Helper()
	b := &bench{Network: newNetwork(t, 3+sites), told: newRecord(t)}
	b.members = b.Hosts()[:3]
	var places []etcdtest.Place
	for _, m := range b.members {
		places = append(places, etcdtest.Place{Addr: m.Addr.String(), Do: m.Do})
	}
	b.cluster = etcdtest.StartClusterAt(t, places, opts...)
	return b
}

// addSite runs a daemon that knows all members until the test ends.
func (b *bench) addSite(t testing.TB, ttl time.Duration, change func(*config.Config)) *site {
	t.Helper()
	i := len(b.sites)
	var urls []string
	for j := range b.cluster.Members {
		urls = append(urls, b.cluster.Members[(i+j)%3].URL)
	}
	s := &site{host: newHost(t, fmt.Sprintf("site-%d", i), urls...), at: b.Hosts()[3+i]}
	s.config.TTL = ttl
	if change != nil {
		change(&s.config)
	}
	s.start(t)
	b.sites = append(b.sites, s)
	return s
}

// start runs the site's daemon.
func (s *site) start(t testing.TB) {
	t.Helper()
	err := s.at.Do(func() error {
		s.process = s.startDaemon(t)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// newNetwork makes a network that lasts until the test ends.
func newNetwork(t testing.TB, hosts int) *netns.Network {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to make network namespaces")
	}
	n, err := netns.New(hosts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// leader is the number of the member that leads.
func (b *bench) leader(t testing.TB) int {
	t.Helper()
	return slices.Index(b.cluster.Members, b.cluster.Leader(t))
}

// A cut keeps a site and etcd apart.
type cut struct {
	name     string
	cut, end func(*bench, *site) error
}

// cuts are all that a network or a firewall may do to a site.
func cuts() []cut {
	lost, refused := netns.Link{Loss: 1}, netns.Link{Reject: true}
	late := netns.Link{Delay: ttl + 500*time.Millisecond}
	return []cut{
		linkCut("host cut off, DROP", lost, lost),
		linkCut("host cut off, REJECT", refused, refused),
		linkCut("requests lost", lost, netns.Link{}),
		linkCut("answers lost", netns.Link{}, lost),
		linkCut("answers later than the TTL", netns.Link{}, late),
		{
			"link down",
			func(_ *bench, s *site) error { return s.at.Down() },
			func(_ *bench, s *site) error { return s.at.Up() },
		},
	}
}

// linkCut changes the links from a site to etcd, and back.
func linkCut(name string, there, back netns.Link) cut {
	set := func(there, back netns.Link) func(*bench, *site) error {
		return func(b *bench, s *site) error {
			b.Set(there, []*netns.Host{s.at}, b.members)
			b.Set(back, b.members, []*netns.Host{s.at})
			return nil
		}
	}
	return cut{name, set(there, back), set(netns.Link{}, netns.Link{})}
}

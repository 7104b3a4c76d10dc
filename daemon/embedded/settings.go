package embedded

import (
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// memberName and peerAddress only name the member in its own data. Nobody
	// connects to the address: there are no peers, and nothing listens there.
	memberName  = "lockside"
	peerAddress = "127.0.0.1:1"

	// history is the default of Options.History. Locks write much and keep
	// little.
	history = time.Minute
	// quota bounds the database. It has room for some minutes of the fastest
	// writing that was seen, 26,000 entries a second.
	quota = 4 << 30
	// defragment is the free megabytes in the database file from which a start
	// makes it smaller.
	defragment = 64
	// snapshotCount and catchUp bound the log entries held in memory. There is
	// no follower that could need old ones.
	snapshotCount = 2000
	catchUp       = 100
	// logFiles is the log files of 64 MB kept besides those in use.
	logFiles = 1
)

// settings is etcd's configuration for a member that is alone.
func settings(o Options, a address) *embed.Config {
	c := embed.NewConfig()
	c.Name = memberName
	c.Dir = o.Dir
	c.ListenClientUrls = []url.URL{a.url()}
	c.AdvertiseClientUrls = c.ListenClientUrls
	c.ListenPeerUrls = nil
	c.AdvertisePeerUrls = []url.URL{{Scheme: "http", Host: peerAddress}}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.EnableGRPCGateway = false

	c.AutoCompactionMode = embed.CompactorModePeriodic
	c.AutoCompactionRetention = o.History.String()
	c.QuotaBackendBytes = quota
	c.BootstrapDefragThresholdMegabytes = defragment
	c.SnapshotCount = snapshotCount
	c.SnapshotCatchUpEntries = catchUp
	c.MaxWalFiles = logFiles
	return c
}

// Package faults has no code of its own. Its tests run whole daemons against
// real etcd and look on from a client's end while what can go wrong does: etcd
// is frozen, moved, compacted, put back, full or gone; networks lose, delay and
// refuse; certificates and tokens end; others lock, delete and overwrite below the
// same prefix; clocks jump; and daemons are frozen and killed. The tests named
// TestPromise… hold the promises that package leases argues for.
//
// # What they need
//
// Those of networks, disks and other boots need root, for namespaces of their own,
// and are skipped without it. All traffic stays in there, or on Unix sockets.
//
// # Which etcd
//
// The one that this module requires, or an older release:
//
//	LOCKSIDE_TEST_ETCD=3.5 go test ./daemon/faults
//
// # How much
//
// By default all takes some minutes on two processors, most of which is waiting.
// These flags make it more or less (go test ./daemon/faults -faults.partitions=500):
//
//	-faults.partitions  how often a host is partitioned from etcd (TestPartitions)
//	-faults.away        how often each member is away in each way (TestOneMemberAway)
//	-faults.links       how many members' links are made bad in each way (TestBadLinks)
//	-faults.poor        how long each poor network lasts (TestPoorNetwork)
//	-faults.storm       how long leaders move and members stall (TestStorm)
//	-faults.kills       how many daemons are killed and restarted, and are killed and
//	                    not restarted (TestDaemonKilled)
//	-faults.tampers     how often a lease is revoked, an entry deleted and a daemon
//	                    stopped (TestBoundsOfTampering, TestBoundsOfAStop)
//	-faults.random      how long faults happen at random (TestRandomFaults)
//	-faults.seed        repeats the random choices of a run, which logs its seed: with
//	                    TestRandomFaults the same faults at the same moments. What the
//	                    processes make of them depends on the machine as well.
//	-parallel           how many tests wait side by side, 3 unless given
//
// With the race detector there is less of each by default.
//
// With -v tests log the seed, the faults and tables of what was measured. Daemons
// log to a test that fails; LOCKSIDE_FAULTS_DEBUG=1 shows at once what those say
// that run in the test's process.
package faults

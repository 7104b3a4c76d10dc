// Package soak runs lockside for long under faults: crowds of clients lock at
// daemons of several hosts, on a cluster of etcd members, while members, daemons
// and clients are frozen, killed and started again.
//
// What all clients were told is checked as it comes, by package history. Three
// more things are looked at. No lock is lost unless the faults of that moment
// explain it: a member that is away never does. What daemons take of memory and
// descriptors does not grow. And once the faults are over everybody is served,
// all can end in good order, and nothing stays in etcd.
//
// Each lane of faults, and each client, draws from numbers of its own, which all
// come from one seed. The same seed gives the same plans again, but not the same
// moments: these are the kernel's.
package soak

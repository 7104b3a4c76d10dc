// Package faults has no code of its own. Its tests run whole daemons against
// real etcd and look on from a client's end while what can go wrong does: etcd
// is frozen, moved, compacted, put back or gone; others lock, delete and
// overwrite below the same prefix; clocks jump; and daemons are frozen and
// killed. The tests named TestPromise… hold the promises that package leases
// argues for.
package faults

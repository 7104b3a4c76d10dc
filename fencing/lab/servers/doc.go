// Package servers runs the real servers that locks are kept in: etcd,
// locksided, Redis, ZooKeeper and Postgres; and those whose rows and objects a
// fence guards: MariaDB, and one of S3.
//
// Each is a process, or several, in a directory of its own, on ports of the
// loopback interface that the kernel picked, and syncs to disk whatever it
// acknowledges, which that of S3 does not. Whoever starts one stops it: Stop asks
// the process to end and waits until it has. Should this program die first, the
// kernel ends them. Freeze, Thaw, Kill and Restart are for who wants to see what
// comes of it.
package servers

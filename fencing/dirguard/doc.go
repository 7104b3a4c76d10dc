// Package dirguard publishes sets of files in a directory, each set as a whole,
// and by nobody but the holder of a lock.
//
// A writer fills a new directory, and the guard then makes it the current one, if
// no greater token has been seen since:
//
//	site/current -> .lockside/8123@cdf818194e3a8c32.9f2c…   what is published
//	site/.lockside/watermark                                the greatest claim
//	site/.lockside/lock                                     see below
//	site/.lockside/previous                                 what was, for readers
//
// Readers open site/current and see the old files or the new ones, never half of
// them. Who opens one file after the other by that path may see some of each: who
// wants all of one version opens the directory once, or uses [Guard].Read.
//
// # Why it is safe on one host
//
// The name of a version begins with its token. The watermark is that of the
// version which is current or that in the file watermark, whichever is greater,
// so that the rename of current changes both at once: nothing that dies, process
// or machine, comes between the write and its token. All that a version holds is
// on the disk before the rename, and the rename before Write returns.
//
// Compared and renamed is one step, since it is done under flock(2) on the file
// lock, by all processes that use this package. A lock service's word could be
// out of date as the rename is done. The kernel's cannot: a process that dies in
// the step has left the lock, and one that is stopped in it keeps the lock. The
// next holder's Claim then waits, until its context ends, rather than have its
// files replaced when the process goes on. If that takes too long, kill -9 it.
// To fill a version takes no lock, so that a writer which is stopped there keeps
// nobody out, and is refused when it goes on.
//
// A process without this package can do it too, under flock(1), if it compares
// both numbers.
//
// # What it does not do
//
// It refuses nobody who writes into the directory past it: an editor, or a process
// that a writer left behind, which goes on to write into a version that is current
// by now. Only one user should have the right to write there, and what a writer
// starts must have ended when it returns.
//
// Removed files are gone: a version is kept until the second one after it, and
// then removed. A backup of the directory must have .lockside in it.
//
// # NFS
//
// Between hosts it is as safe as the lock is. With NFS 4, or NFS 3 and its lock
// daemon, flock is a lock at the server, which all hosts respect, if none of them
// mounts with nolock or local_lock. But the server takes it from a host that it
// has not heard of for its lease, 90 seconds by default. A host that is cut off,
// or is a virtual machine that is paused, between compared and renamed can
// therefore rename when it is back, after somebody else has claimed: the rename of
// NFS comes with no proof of the lock. The window is that of a few system calls
// once in each write, not that of the write; but it is there, and nothing here
// closes it. What does is to cut the other host off before somebody else claims,
// by switching it off, or by no longer exporting the directory to it. Readers on
// other hosts see a version as late as their attribute cache lets them (acdirmax,
// 60 seconds by default). This section follows from the manuals of NFS: the tests
// of this package run on one host.
//
// # By hand
//
// What the watermark is, and who has published, is there to be read:
//
//	$ readlink site/current
//	$ cat site/.lockside/watermark
//
// When the etcd cluster was rebuilt, tokens of the new one are refused with
// [fencing.ErrCluster] until an operator says that they are good: write 1@ and the
// new cluster's id into the file watermark, as a line, under flock. It then counts
// alone, as long as the current version is of the old cluster:
//
//	$ flock site/.lockside/lock sh -c 'echo 1@cdf818194e3a8c32 >site/.lockside/watermark'
package dirguard

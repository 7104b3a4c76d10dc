// Package history records what the clients of locks were told and did, and
// checks that no promise was broken.
//
// Every client records with one clock, CLOCK_BOOTTIME, which all processes of a
// host share: in one process into one [Recorder], or each process into a file of
// its own, and [Merge] puts these in order. A [Checker] takes the events one
// after the other, however many there are, and keeps no more of them than it
// needs to show what was around a violation.
//
// # When a client holds a name
//
// From the moment at which it has read the grant, until the first of these:
//
//   - It begins to give the name up: it is about to write UNLOCK, or to close the
//     connection. What the daemon makes of it comes later.
//   - It has read the loss: a LOST line, end-of-file, or its own deadline has
//     passed.
//   - Its daemon is [Gone]: the process has ended, so the kernel has closed all
//     its connections and end-of-file can be read, although a busy client may
//     come to it later. What was asked before, and is granted after, was in the
//     socket already, and is over as it is read.
//   - Somebody is about to remove the entry or the lease from etcd ([Removing]).
//     No lock survives that, and another may be granted the name before the
//     client is told. Only the fence helps there, and writes are checked.
//   - It is about to be [Killed].
//
// A client that was [Stopped] cannot read its loss when it comes. The daemon's
// end counts for it: that of its connection, seen by a witness who has a
// duplicate of the descriptor, as [Cut]. Until it is known whether the client
// still held what it had when it was stopped, grants to others are not judged. A
// Cut, or an UNLOCK that is answered OK, shows that it did; that it reads a loss
// or is killed without a witness shows nothing.
//
// # What is checked
//
//   - No name has two holders.
//   - The fences of a name rise in the order in which its grants were read.
//   - No name is granted twice with one fence.
//   - No accepted write begins after another with a greater fence was accepted.
//   - The reads and writes of each name's resource, as a register that refuses
//     lower fences than it has seen, are linearizable.
//   - Nobody waits at the end: whoever stayed was served.
//   - What is recorded makes sense: nobody is granted what he did not ask for.
//
// [Left] tells what is left in etcd.
package history

// Package fencing is the side of a lock that protects: the resource's.
//
// A lock service tells a process that it holds a lock. It cannot keep a process
// that was paused, or a request that was under way, from reaching the resource
// after the lock has gone to somebody else. What it can give is a number that only
// rises, the fence; and the resource can refuse a number lower than one that it
// has already seen.
//
// # The contract
//
// A [Guard] makes one resource keep these rules. Let W be the resource's
// [Watermark], the greatest [Token] that it has seen.
//
//	F1  Who has been granted the lock claims the resource first: W rises to its
//	    token. Only then does it read what it is going to change.
//	F2  A write comes with its token, and is done only if the token is W or
//	    greater. Compared, stored and written is one atomic step.
//	F3  W never shrinks, never expires and is never evicted. It lives, and is
//	    backed up, with the resource.
//	F4  A refusal is an error of its own, [ErrStale], and changes nothing.
//	F5  Tokens of different etcd clusters do not compare: [ErrCluster].
//
// What follows: once a holder has claimed, no write of an earlier holder is done
// (F2, F3), so what the holder reads stays as it is until it writes itself. Without
// the claim a late write could land between a new holder's reading and its first
// write, and would be lost.
//
// A holder may write many times with its token. Where one write a grant is wanted,
// so that a write which is sent twice is done once, [Guard].WriteOnce asks for a
// token greater than W. A second use of a token is [ErrSpent], which tells a
// worker that lost a reply that its write has been done.
//
// # What it does not do
//
// Reads are not fenced: a holder that was replaced may read, and act on what it
// read elsewhere. A resource that is restored from a backup has forgotten what it
// saw since, until the next claim. Whoever writes past the guard is not refused.
// Numbers of shared locks and of slots are no tokens: several of them are good at
// the same time, so that to refuse the lower ones would be wrong. They have
// another form, and [Parse] refuses them.
//
// The packages below this one have guards for resources that people use, and
// fencingtest has what each guard must pass.
package fencing

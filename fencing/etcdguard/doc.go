// Package etcdguard lets data in etcd be written by the holder of a lock alone: a
// transaction that asks for the lock's own entry.
//
// It is the strongest of the guards, for it asks whose the lock is now, and not
// only who has been seen here. A write is refused as soon as the lock has ended,
// whether or not somebody else has claimed since. It works for data in the etcd
// that has the locks, and nowhere else.
//
// # The transaction
//
// The fence is the create revision of the lock's entry, whose key LOCK's reply
// tells (key=, LOCKSIDE_KEY). In any language a write is
//
//	If   create_revision(KEY) = FENCE
//	     create_revision(QUEUE, all keys below it) > FENCE-1
//	Then put …
//
// where QUEUE is KEY up to its last slash, with the slash.
//
// The first comparison alone does not suffice. A lockside daemon grants a name to
// its next waiter as soon as the holder's session has given it up, while the
// deletion of that holder's entry is still under way: no other host can be granted
// the name before it is done. In that moment the transaction of a holder that has
// just been killed could still come, find its entry, and write after the next
// holder has. The second comparison says that no entry is left which was there
// before ours. Create revisions never come back, so what has once been true of a
// fence can never again be true of a lower one. A claim, and a write, therefore
// wait for the entries before theirs to go, which takes about as long as one write
// to etcd.
//
// All names of one queue are of one lock: lockside's escaped names hold no slash.
package etcdguard

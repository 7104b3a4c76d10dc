// Package idempotency names what a lock's holder has others do, so that it is done
// once a grant however often it is delivered, and not at all when it comes late.
//
// # Keys
//
// A holder that sends a message, or calls a webhook, gives it a [Key]: of the
// lock's name, the fencing token of the grant, and a step, the number that the
// effect has among those of the grant:
//
//	nightly:8123@cdf818194e3a8c32:1
//
// The same effect of the same grant has the same key, whichever process or retry
// sends it. That is what makes it the key of a worker that is to be run again:
// nothing has to be written down before the effect is sent. Step 0 is the claim,
// a message that has no effect but to raise the receiver's watermark. The holder
// that wants to read first what it is going to change waits for its answer.
//
// A key has letters, digits and - . _ ~ % @ : alone, and at most 128 bytes. It fits
// the Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header, where it
// is a string of RFC 9651, in quotes), and the message ids of queues. A long name
// is cut, and its digest is in the key.
//
// It is one effect a grant, not one for ever. The next holder's step 1 is another
// key, and is done: it does not know how far the one before it came. Where the work
// itself has a name, as an invoice has, that is the better key for whoever must
// not do it twice, and the token is what refuses late senders.
//
// # Receivers
//
// A [Receiver] keeps for each name the greatest token that it has seen, and which
// steps of that token were done. Then
//
//	a token lower than that   is refused: [fencing.ErrStale]
//	that token                is done, unless the step was: [ErrDuplicate]
//	a greater one             is done, and the steps of the one before are forgotten
//
// Nothing else has to be kept. A key of a lower token is never looked up again,
// since it is refused whether it was done or not; so a receiver forgets it, and
// still does nothing twice, be it delivered again after a year. Keys without an
// order can only be dropped when they are old, in the hope that no delivery is
// older. Steps that are numbered from 1 without gaps are kept as one number, in
// whatever order they come. What stays is one small record a name, for ever: let
// clients not make up names.
//
// A consumer acknowledges what is done, what is a duplicate and what is stale, and
// has all else delivered again; [Settled] tells. A webhook answers it with [Status].
// Of a key that is stale nobody knows here whether it was done before it was: that
// is what the sender lost with its lock.
//
// # When it is done once
//
// An effect is done exactly once where the receiver's record and the effect are in
// one transaction; see below. With [Files], the record is written after the effect.
// A crash between the two has the effect done again with the next delivery, at
// least once therefore, and never after a greater token has been seen: the
// watermark is on the disk before the effect begins.
//
// Effects of one name are done one after the other, so that a claim which is
// answered has none under way behind it.
//
// # In a database
//
// In a transaction that begins with the fence's row, as package sqlguard has it for
// its tables, two statements more do what a Receiver does. This is for any program
// and for any database (PostgreSQL and SQLite; in MariaDB and MySQL the second one
// is an INSERT IGNORE):
//
//	CREATE TABLE steps (
//		name varchar(80) NOT NULL,
//		token varchar(40) NOT NULL,
//		step bigint NOT NULL,
//		PRIMARY KEY (name, token, step)
//	);
//
//	DELETE FROM steps WHERE name = :name AND token <> :token;
//	INSERT INTO steps (name, token, step) VALUES (:name, :token, :step) ON CONFLICT DO NOTHING;
//	-- 1 row: go on with the effect, and COMMIT.
//	-- 0 rows: it was done. ROLLBACK, and acknowledge.
//
// In Go they are the beginning of what [Receiver] would call the effect, in the
// Write of a sqlguard.Table. A [Store] over a database gives the effect its
// transaction by the context.
//
// # Another cluster
//
// When the etcd cluster was rebuilt, keys of the new one are refused with
// [fencing.ErrCluster] until an operator says that they are good. With [Files] that
// is a file, named as the name is in keys, with % written as %25, . as %2E and ~
// as %7E:
//
//	{"highest":"1@cdf818194e3a8c32","through":0}
//
// The cluster is the new one's. Set it while no receiver runs.
package idempotency

// Package sqlguard makes rows and tables of PostgreSQL, MariaDB, MySQL and SQLite
// refuse stale fencing tokens. It uses database/sql, and whatever driver the
// program has.
//
// There are three forms of one rule, which is that of package fencing:
//
//   - [Row]: the row that is written has two columns more, a fence and a cluster.
//     One UPDATE compares, raises and writes.
//   - [Table]: a table of fences has a row for each lock. Each transaction that
//     writes under the lock begins with that row, and may then write whatever it
//     likes in the same database.
//   - [Trigger]: triggers on a table look at its row in a table of fences. They are
//     for code that cannot be changed; something else tells the session its token.
//
// All of a resource has to go through the same watermark: a Row's guards that row
// alone, and a write that does not begin with the Table's row is not refused.
//
// The tests run PostgreSQL, MariaDB and SQLite. MySQL has what is used here of
// MariaDB; the tests do not run it.
//
// # Why one step is atomic
//
// A write locks the row of the watermark, compares with what it finds there once
// it has the lock, and keeps the lock until it has committed or rolled back. Of two
// writes one comes first, and the other compares with what it left, whatever the
// isolation level:
//
//   - PostgreSQL, READ COMMITTED: an UPDATE, or an INSERT … ON CONFLICT DO UPDATE,
//     that had to wait for a row looks at its condition again, on the row as it was
//     committed.
//   - PostgreSQL, REPEATABLE READ and SERIALIZABLE: a row that has changed since the
//     transaction's snapshot ends it with a serialization failure, SQLSTATE 40001.
//     What the snapshot alone refuses is refused rightly, since watermarks only rise.
//   - MariaDB and MySQL, all levels: SELECT … FOR UPDATE and UPDATE read what was
//     committed last, and not the snapshot. The condition is not in the UPDATE, since
//     the server counts the rows that it has changed: none, where it has set what
//     was there already. (Some clients have it count those that it has found.) The
//     column that finds the row has to be its primary key or unique, since InnoDB
//     locks all rows that it looks at.
//   - SQLite: there is one writer at a time. The first statement is a write, so a
//     transaction waits for its turn before it has read anything, and cannot be the
//     reader who must not wait. How long it waits is busy_timeout, which many drivers
//     leave at 0. Without it a second writer is told at once that the database is
//     busy.
//
// A serialization failure or a deadlock is the database's own error, and says that
// nothing was done: repeat the call. Writers of one watermark take the same
// lock first, and no deadlock comes of it unless the work reaches for more. The
// exception is a trigger of MariaDB: it fires once the row that is written is locked,
// so two writers of several rows may come to wait for each other.
//
// Where a reply to COMMIT is lost, nobody knows whether the write was done. To
// repeat it is safe for the watermark; with WriteOnce, [fencing.ErrSpent] tells
// that it was done.
//
// # What it does not do
//
// Guard a replica: it lags, and so does its watermark. Send claims and writes to
// the primary. If a replica becomes the primary without the last commits
// (asynchronous replication), then the watermark is as old as the data: claims and
// writes that were lost are as if they had never been, and a holder that was
// replaced may be let in until the next claim. In PostgreSQL synchronous_commit=off,
// and in InnoDB another innodb_flush_log_at_trx_commit than 1, lose commits in a
// crash, too.
//
// In MariaDB and MySQL, statements that commit by themselves (CREATE TABLE,
// TRUNCATE) end the transaction, and the fence with it. Tables have to be InnoDB.
//
// # Another cluster
//
// When the etcd cluster was rebuilt, tokens of the new one are refused with
// [fencing.ErrCluster] until an operator says that they are good. When nobody of
// the old cluster holds the lock any more:
//
//	UPDATE fences SET fence = 0, cluster = 'cdf818194e3a8c32' WHERE name = 'nightly';
//
// The cluster is the new one's, as lockside shows it. From then on the old one's
// tokens are refused.
//
// # In plain SQL
//
// What the guards send, for programs in other languages, is in testdata, a file for
// each database; parameters are written as :name there. This is a fence table in
// PostgreSQL:
//
//	CREATE TABLE "fences" (
//		"name" text COLLATE "C" NOT NULL PRIMARY KEY,
//		"fence" bigint NOT NULL DEFAULT 0,
//		"cluster" text NOT NULL DEFAULT ''
//	);
//
//	BEGIN;
//	INSERT INTO "fences" AS f ("name", "fence", "cluster") VALUES (:name, :fence, :cluster)
//	ON CONFLICT ("name") DO UPDATE SET "fence" = excluded."fence", "cluster" = excluded."cluster"
//	WHERE (f."fence" <= excluded."fence" AND f."cluster" = excluded."cluster" OR f."fence" = 0 AND f."cluster" = '');
//	-- 1 row: go on, and write what is to be written.
//	-- 0 rows: the token is stale, or of another cluster. Look, ROLLBACK, and stop.
//	COMMIT;
//
// A claim is the same with nothing to write. For one write a grant, have < for <=.
//
// # Triggers, and how a program tells its token
//
// The guard [Trigger] sets what the triggers read, and code that runs in its
// transaction need not know. Without Go, under lockside run:
//
//   - PostgreSQL, for all that uses libpq:
//     PGOPTIONS="-c lockside.fence=$LOCKSIDE_FENCE -c lockside.cluster=$LOCKSIDE_CLUSTER".
//     Behind a pooler that gives out connections by transaction, begin each with
//     SELECT set_config('lockside.fence', '8123', true), which ends with it.
//   - MariaDB and MySQL: SET @lockside_fence = '8123', @lockside_cluster = '…', as the
//     --init-command of the client, or of the library. A session keeps it until it is
//     set to NULL, so a pool must do that.
//   - SQLite: triggers there can read no setting of a session. They read a table of
//     one row, which a transaction fills first and empties last. Code that begins and
//     ends transactions itself cannot be fenced in this way. What does not help: a
//     trigger cannot see temporary tables; a temporary trigger can, but is only
//     there in the session that has made it; and a function that the program gives
//     to SQLite has the same value for all its connections in some drivers.
//
// A session that has told no token is refused. Its claim is a statement on the fence
// table, as above. [Refusal] makes this package's errors of those of the triggers,
// whose SQLSTATE begins with LF. The triggers of MariaDB and SQLite fire for each
// row, and so not where no row is changed. TRUNCATE and what foreign keys do to
// other rows fire none in MariaDB, and in SQLite rows that REPLACE removes fire
// theirs only with recursive_triggers. In PostgreSQL a partition that is written by
// its own name, and not by its parent's, fires its own triggers alone: guard each
// of them, or let nobody name them. An owner of the table can switch triggers
// off; a fenced program should not be one.
package sqlguard

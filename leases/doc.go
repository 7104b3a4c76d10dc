// Package leases holds locks in etcd for the sessions of one host.
//
// It is a pure core and a thin shell. Package core decides: it is fed events
// and the time, and answers with actions; it has no goroutine, clock or
// network. The Service in this package carries the actions out against etcd
// (package etcd) and feeds the results back. Every decision is taken with one
// mutex held, so the core sees one event after the other; nothing that waits
// is done under that mutex.
//
// # The walk of one LOCK line
//
//  1. A session calls Session.Lock with the names. Service.step first tells the
//     core the time, so that whatever is past its deadline ends before anything
//     is served, and then hands it the request.
//  2. The core picks the lease for the TTL asked for, or asks for one to be
//     granted. It gives the request one entry a name, each with a key of its
//     own, and puts the enqueue into that lease's outbox.
//  3. At the end of the step the core packs what lies in the outbox into a
//     batch, enqueues and deletions, unless it gains by waiting for more until
//     one under way is answered. The Service sends it as one Txn, guarded by
//     the create revision of every key that it touches, and by the lease's epoch
//     if it puts one.
//     A queue that nobody is known to use must be empty, which is one guard more;
//     any other is looked at in the same Txn. If such a guard fails, the refusal
//     shows what there is, and the request is sent again with a look.
//  4. The reply comes back as an event. The revision of the Txn is the create
//     revision of the new entries: the fence. The look is the entries that came
//     before, as etcd says at that revision. Without any, the lock is granted.
//  5. Otherwise the session waits. Entries of this host leave the queue in the
//     core as their sessions give them up; entries of others leave it when the
//     queue's watch, or the poll behind it, has seen them go.
//  6. A grant is an action too: the Service calls Subscriber.Granted, and the
//     session writes the line.
//
// # The walk of one lost lease
//
//  1. A renewal notes the boot clock, is sent, and is answered: the deadline is
//     now the noted moment plus the TTL that the answer states. When a renewal is
//     not answered for a tenth of the TTL the next one tries another endpoint, and
//     the deadline stays where it is. The answer may still come, on a stream that
//     nothing else is asked on, and counts from the moment noted for it: an etcd
//     that is slow costs no lease.
//  2. The Service's alarm, on CLOCK_BOOTTIME, is set to the earliest deadline
//     less margin. It rings, or any other event comes first and finds the time
//     passed: the core marks the lease dead. Nothing revives it: a late answer
//     finds it dead and is dropped.
//  3. The core ends every session with an entry on the lease. The Service calls
//     Subscriber.Lost for each before the step returns, and Lost shuts the
//     socket down. No request of any session is served between.
//  4. What these sessions held lingers until the deadline itself: the margin is
//     theirs to stop in, so neither etcd nor a waiter of this host hears of it.
//  5. At the deadline the lease is revoked, as often as it takes until etcd says
//     that it is gone, and with it its entries. What waited behind them on this
//     host is granted at once: their sessions are gone already.
//
// A lease that somebody revoked walks the same way from 3, but that nothing
// lingers, found by the watch on a queue, by a renewal or by a Txn that says
// "lease not found".
//
// # Why it is safe
//
// Words: an entry is live while etcd has it; an entry is given up once its
// session has released it or has been shut down, and, if a deadline shut it down, has
// lingered. A name's queue is the live entries of all hosts by create revision.
//
// I1 (P2). One name gets at most one new entry in a Txn, so create revisions
// within a queue differ, and a later Txn has the greater one. A key is used
// again only when the deletion of its last entry is confirmed, so every entry
// has its own create revision, and no (name, fence) is granted twice.
// Held by TestCoreRandomSchedules, TestPromise02RisingFences.
//
// I2 (P1). The entries before an entry are fixed when it is created: whatever
// comes later has a greater create revision. The look in the creating Txn
// lists all of them, or its guard says that there are none. An entry never comes
// back once it is gone, since its key would get a greater create revision. So
// evidence that an entry is gone is valid for ever, however old: a deletion seen by
// a watch, or an absence in a read or a later look at a revision at or after the
// creation. Evidence that an entry is there is valid only at its revision: a read at
// revision R neither removes what was created after R nor brings back what a watch
// has seen deleted after R. That an entry is gone is remembered by its create
// revision, so that it hides nothing put under the same key later, and until no
// answer under way can be older: each is at least as new as the highest revision
// seen when it was asked for.
// A watch tells nothing of what was before it, so what it shows of others counts
// only once a read, asked for when the watch was ready, has shown the rest: a
// waiter whose own entry was deleted learns it no later than it learns of later
// deletions before it, and does not move up.
// Of two answers of ours the later one may come first: an entry whose own answer is
// still to come counts by the create revision that a look showed. So a guard that
// there is nothing takes the place of a look only in a queue without such entries.
// A key proves nothing: what is shown under one of ours, and is not of the create
// revision that an answer told us, counts as another's until it is gone.
// Held by TestQueueLateEvidence, TestLookMistakesNothingForOurs,
// TestNobodyMovesUpOnHalfAWatch, TestOneQueueThatIsNotEmpty, TestAnswersOutOfOrder,
// TestCoreRandomSchedules.
//
// I3 (P1). A waiter is granted when each entry before it is gone, or is an
// entry of this daemon, by the answer to its put, that was given up. No other
// host can hold then: a foreign entry before ours is gone, and one behind ours
// waits until both our entry and the given-up ones before it are gone. So a
// local hand-off waits for no commit. If the daemon crashes at any step of it,
// the given-up entry and the granted one both stay until the lease ends or the
// next start revokes it, and the granted client has read end-of-file.
// Until the deletion commits, the given-up entry is still in etcd. A resource that
// asks etcd for a holder's entry must therefore also ask that none is before it
// (fencing/etcdguard): else a late write of the session before would pass.
// Held by TestFencesInEtcd, TestQueueHandsOverBeforeTheDeletionCommits, TestCoreRandomSchedules.
//
// I4 (P3). A lease cannot expire in etcd before the moment of sending the last
// answered renewal plus the TTL granted, on a clock that runs no slower than
// etcd's: the server started to count after we noted the time. Sessions end a
// margin before that, which pays for clock rates, for scheduling, and for an
// old leader that answers for up to two election time-outs after a new one has
// extended the lease by one. The deadline is compared before each event is
// handled, so a process or a host that slept ends its sessions first. What they
// held is given back no earlier than the lease could have ended, on all leases of
// the session, so the margin passes between end-of-file and the next grant even
// when etcd hears us again. Only a crash cuts it short: the next start revokes.
// Held by TestPromise03ClosedInTime, TestPromise03TheMarginIsTheClients,
// TestCoreLateRenewalRevivesNothing, TestCoreLateAnswerCountsFromItsSending,
// TestCoreRandomSchedules.
//
// I5 (P5, P6). Each put on a lease is guarded by the revision of the lease's
// epoch key. When the outcome of a Txn is unknown, the keys that it puts stay
// reserved, the epoch key is written anew, and only when that is confirmed are the
// keys read: from then on the Txn can no longer be applied, so what the read says is
// final. Entries found are taken over or deleted; absent ones are retried. A read
// decides only if it is at the latest epoch that we know or after it, and one
// that is not is followed by another, so every doubt ends.
// The epoch key hangs on the lease itself: with the lease gone no put succeeds,
// and no epoch is needed. A late write of the epoch key can only invalidate our
// guards, which the next Txn reports, never make an old one valid again.
// Held by TestCoreLostReplies, TestDoubtOutlivesAnotherEpoch,
// TestCoreRandomSchedules.
//
// I6 (P6). A deletion names its key and is guarded by the create revision, so a
// late or repeated one deletes nothing newer. A revoke names a lease that was
// given up for good. Nothing else removes anything. So a deletion needs no epoch:
// one of unknown outcome is just sent again, and an etcd that takes no puts, not
// even of an epoch, keeps no host from giving up what it has.
// Held by TestPromise06OnlyOurOwn, TestDeletionsNeedNoEpoch, TestCoreRandomSchedules.
//
// I7 (P5). Every entry that may be in etcd is known to the core until its
// deletion, its absence, or the end of its lease is confirmed, and each of
// these is retried until it is. The reconciler compares the keys on each lease
// with the core's entries and counts what does not match; it should find none.
// Held by TestCoreRandomSchedules, TestPromise05NothingLeftBehind.
//
// I8. Several names asked for at once are put by one Txn and have one create
// revision. Waiting is only ever for lower create revisions, of one session for
// another, so a cycle of waits would need a revision lower than itself; a request
// in line has no entry that anybody could wait for. A session that holds names
// and waits for more breaks this, so it may wait only for names that sort after
// all that it holds: among such sessions a cycle would need a name that sorts
// before itself. The two orders do not add up to one: a session that holds a and
// waits for b can stand behind one that asked for a and b at once, and then only
// a time-out ends both waits. Programs that share names must take them one way.
//
// I9 (P8). A fence is the revision of an answer, and the revision of an answer is
// remembered in a file before the answer is handed on. So no fence that this host
// has handed out exceeds what it remembers, but for the last second before a crash
// of the whole host, and for as long as the file cannot be written, which is
// logged. A linearizable answer that is older than what was remembered when it was
// asked for, or is of another cluster, proves that etcd was put back. Then nothing
// is sent any more but revocations and reads of how far etcd is, every holder ends,
// and the mark of it stays in the file. An operator's acceptance replaces the file
// by a rename, so that a crash leaves the one state or the other, and is refused
// while etcd is not as far as what is remembered: every later entry has a greater
// create revision than that, in another cluster too. Only who names the remembered
// revision is let off. How far etcd is, is asked by a client without a past. It
// asks all endpoints at once, and then again, so that members of two clusters, or
// of one before and after, contradict each other; what is only heard later, and is
// behind or of another cluster, is a regression again. So stop what is left of the
// cluster that is undone: a member of it that is ahead would be taken for progress.
// No answer from before can be taken for one from after: a Service never accepts
// for itself. The next one opens with what was accepted when this one is closed,
// all its goroutines have ended, and the connections they had; and it revokes this
// one's leases, in whatever etcd there is then, before it grants anything. Each
// host remembers for itself. One that had seen less, and does not notice, can hand
// out a fence below another host's of the time that is undone; so every daemon
// reads the revision every few seconds, and an operator bumps it at the restore.
// Held by TestPromise08NoGoingBack, TestRestoreIsAcceptedOnceFencesRise,
// TestRestoreFurtherAhead, TestRestoreCrashWhileAccepting, TestRestoreOfSnapshot,
// TestSurveyHearsContradictions, TestRegressionIsForgottenByAcceptAlone.
//
// I10 (P1, P2, P3). A program that goes on from another's image knows no more and no
// less than that one did: entries with their create revisions, sessions, deadlines,
// which are moments of CLOCK_BOOTTIME and so the same for both. What the other one had
// asked for is treated as I5 and I6 treat what has no answer, since the answer goes to
// nobody: an enqueue is in doubt until a new epoch and a read, a deletion is sent again.
// Watches begin anew, and show nothing until a read has (I2). No step is taken between
// the two, so time has passed as if the first had been stopped: the first step of the
// next compares the deadlines before anything else (I4). The state directory is locked
// by one of them all the time, so nobody revokes the leases as left behind.
// Held by TestThawEndsWhatIsPastItsDeadline, TestThawDecidesWhatWasUnderWay,
// TestCoreRandomSchedules, TestHandOver, TestUpgrade, TestRandomFaults.
package leases

// Package model is the rules of package leases as a Promela model, and tests that
// have spin search it. It has no Go code of its own.
//
//	go test ./leases/model                          # needs spin and gcc, else it skips
//	                                                # as it does with -race and -short
//	go test -v -run 'OneRuleLess/NO_EPOCH' ./leases/model
//	go test -v -timeout 30m -run Rules ./leases/model -args -model.long
//
// # What is modelled
//
// One name, two hosts, and three clients: 0 and 1 on host 0, 2 on host 1. Each step of
// an actor is one atomic step, and any actor may take its next one at any time or
// never, so whatever is slow, reordered between actors, or paused is one of the orders
// searched.
//
//   - client.pml: a client locks, gives up (UNLOCK, hanging up, kill -9, or minding its own
//     deadline), reads end-of-file, writes to the resource. A write that is long under
//     way is one of a client that is stopped in the midst of it. The resource refuses a
//     fence lower than the highest it has seen.
//   - daemon.pml: a session's entry, from its put to its confirmed deletion; the grant, before
//     the deletion is committed where what is before is given up on this host (I2, I3);
//     Txns without an answer, and what is decided of them (I5).
//   - lease.pml: grant, renewal with its deadline counted from sending (I4), the end of a
//     lease's sessions, crash and restart, revocation, the epoch.
//   - etcd.pml: Txns, also those that arrive after the daemon has stopped waiting; renewals;
//     leases that expire at their time or any time later.
//   - time.pml: ticks of etcd's time. A host's clock may miss one of the ticks that a
//     deadline is counted over; the margin is two. Time waits for nobody: a daemon that
//     has not ended its sessions at the deadline by the next tick has been stopped, and a
//     client that still believes to hold then is frozen.
//
// # What is claimed
//
// A client holds from its grant until one of these: it gives up; its daemon shuts its
// socket, whether or not it has read that; it is frozen, which is to have been stopped
// itself beyond the deadline less margin.
//
//   - one_holder (P1): at most one client holds.
//   - in_turn (P1): at a grant the entry is in etcd, and what is before it there are
//     entries that sessions of the same host have given up.
//   - fences_rise (P2): a grant's fence is above those of all grants before.
//   - closed_in_time (P3): a lease does not expire while its daemon has it, unless that
//     daemon has been stopped beyond the deadline less margin.
//   - writes_rise: an accepted write's fence is no lower than that of any before it,
//     whoever is cut or frozen.
//   - holder_writes: the resource refuses no client that holds.
//   - entry_known (I7): an entry on a lease that its daemon takes to be good is one
//     that the daemon knows of.
//   - nothing_left (P5): when nothing new is asked for, nothing fails, no time passes and
//     holders give up, then all comes to an end, every waiter has been served, and
//     etcd has no entry. Calm may begin in any state, and leases are kept meanwhile,
//     so what is left is not hidden by its lease's end.
//
// TestRules searches all states within three sets of bounds, since all at once would
// be too many: time and calm without trouble; time and trouble without calm; trouble
// and calm without time. With -model.long it goes further in two of them, and has
// all three together. TestReach holds that the model comes to what the claims are
// about. Searches are exact: no bitstate, no hash compaction.
//
// # What is taken away
//
// TestOneRuleLess takes one rule away at a time, by a macro, and expects the claim
// that rests on it to be violated:
//
//   - DEADLINE_FROM_REPLY: the deadline is counted from the answer to a renewal, which
//     may have been long under way, and not from its sending (I4).
//   - MARGIN=1: the margin is no more than what the clock may miss (I4).
//   - DEADLINE_NOT_FIRST: a daemon that was stopped goes on with what it was doing
//     before it looks at the deadline (I4).
//   - HANDOFF_PAST_FOREIGN: one given-up entry of this host before a waiter is enough
//     for a hand-off, although another host's is before it too (I3).
//   - LOOK_BEFORE_PUT: the queue is looked at first and the entry put later, not in
//     one Txn (I2).
//   - SHARED_REVISION: two entries of one name are put in one Txn (I1).
//   - KEY_FREE_UNCONFIRMED: a key is used again before its deletion is confirmed (I1).
//   - DROP_UNGUARDED: a deletion names a key, and not the entry that is meant (I6).
//   - NO_EPOCH: a Txn without an answer can still be applied after a read has decided
//     what became of it (I5).
//   - SILENCE_IS_NO: a Txn without an answer is taken not to have been applied (I5).
//   - RESOURCE_TURNED: the resource accepts fences no higher than the highest it has
//     seen, its comparison turned round.
//   - RESOURCE_BLIND: the resource accepts every fence.
//
// # What is not
//
//   - More than one name in a LOCK (I8), leases of several TTLs, and two living leases of
//     one host: a new one is granted once the old one is gone. A restarted daemon serves
//     nothing before it has revoked the old lease, and what the daemon before it had put
//     is never seen by it as another's.
//   - Watches and reads as messages. That an entry is gone is true for ever (I2), so
//     evidence that comes late is a daemon that acts late; evidence that an entry is there
//     is used at the moment of its Txn alone. Half a watch, tombs, and looks that come out
//     of order are held by the tests of leases/core.
//   - Keys: each client has one, and its next LOCK waits until it is free. The guard on
//     the key of a put is therefore never what refuses it.
//   - Group commit: each op is a Txn of its own. SHARED_REVISION shows why two of one
//     name may not be one.
//   - What others do to our leases and entries (revoke, delete, overwrite, plain etcd locks but
//     for their place in the queue), etcd's members and old leaders, revisions that go
//     back (P8), and clocks that are faster than etcd's, which only end sessions early.
//   - A late write of the epoch key: replacing it and learning that is one step.
//   - The grant of a lease as two messages; only a renewal's answer can be late.
//   - That a daemon or etcd does act in the end, but for nothing_left's calm.
//
// # A counterexample
//
// A failed test shows the steps in order, each with who takes it; the deepest indent is
// time's. The last line names the claim. With -v the tests of one rule less show theirs,
// which are the shortest there are. By hand, in a copy of this directory:
//
//	spin -DNO_TIME -DNO_EPOCH -DCLAIM=NOTHING_LEFT -a lockside.pml
//	gcc -DSAFETY -DNOREDUCE -DBFS -w -o pan pan.c && ./pan
//	spin -DNO_TIME -DNO_EPOCH -DCLAIM=NOTHING_LEFT -t -p -g lockside.pml
package model

// Package core is the pure state machine behind package leases: sessions,
// requests, entries, queues, leases and their deadlines.
//
// Events and the time go in by Machine.Step, actions come out. There is no
// goroutine, no clock, no network and no randomness in here, so that any
// interleaving can be written down as a table, replayed, and checked against a
// model of etcd. The arguments that make it safe (I1 to I8) are in the comment
// of package leases.
//
// One direction: an event changes a session, a request, an entry or a lease;
// these put work into outboxes and timers; at the end of the step the outboxes
// are packed into batches. Nothing in here is called back by an action.
package core

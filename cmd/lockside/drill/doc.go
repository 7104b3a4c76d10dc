// Package drill shows what a fence is for, with real processes: a holder of a lock
// is stopped in the middle of its work, the lock passes on, and the holder goes on
// as if nothing had happened. Its write is refused, if the resource checks fences.
//
// Run tells the story. It is played by two holders, which are this program executed
// again: [Hold] is their whole life. They take the lock from a site: the host's own
// daemon, or two daemons of the drill's own, of which one stands for a host that is
// suspended. What they change is a register, of the package below this one.
//
// A holder does what it is told through a control socket, one order at a time. What
// it is told while it is stopped it does first when it goes on: so it writes without
// another look at its lock, as a program does that was stopped between its look and
// its write.
//
// Whatever ends a drill, its processes are killed, its locks end with them, and what
// was made at the resource is removed.
package drill

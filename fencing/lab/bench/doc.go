// Package bench has workers take and release locks, measures that, and checks
// at the same time that the locks are any good.
//
// A cycle is: wait for a name, have the name, give it back. All workers are
// goroutines of this process, so that what is checked needs no network: a flag
// and the last fence for each name, which a holder sets and looks at while it
// has the name. See [Checker].
//
// Only what ends within the measured time is counted: the rate, and the times
// that cycles took. A wait that the end cuts short counts as the longest one if
// it was, so that a starved worker shows. What is checked is counted from the
// first cycle on, those that only warm up included.
package bench

// Package actor is one client of a lock service and of what the lock guards, in a
// process of its own, which can be paused as programs are.
//
// It does what it is told, a line of JSON on its standard input for each step, and
// writes what came of it to its standard output. Without being asked it says when
// it learns that its lock may be lost. It goes on all the same when told to: a
// program that is paused has looked before.
package actor

// Package cli is lockside's command line: one file for each command, and a few
// for what they share.
//
// A command is a function that makes a cobra.Command. What all of them need,
// the global flags and where output goes, is in app; what a command needs of
// its own is a struct in its file. No command exits by itself: it returns an
// error, and exit.go says which exit code and which words belong to it.
//
// The walk of `lockside run nightly -- backup`: run looks up the command, then
// acquires the lock through package ipc, while waiting.go tells who holds it.
// Package child runs the command until its last process is gone, or ends it
// when the lock's context does. Only then the lock is released.
package cli

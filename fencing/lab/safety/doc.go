// Package safety strikes lock services while a client holds a lock, and sees
// what becomes of what the lock guards.
//
// Each run is one story of two clients, processes of their own. A takes the lock
// and reads the resource. The scenario strikes. B takes the lock, reads, and
// writes. A goes on in the belief that it holds, and writes what it made of what
// it had read. All that a [Result] says was measured in such a run.
package safety

// Package fencingtest holds guards to the contract of package fencing.
//
// A test describes how to make a resource of its kind, on the real server, and
// runs all cases against it:
//
//	fencingtest.Test(t, func(t *testing.T) *fencingtest.Resource[string] {
//		…
//	})
//
// The cases are those in which guards have gone wrong: the late write between a
// claim and the next write, numbers compared as text or as floating point, a
// resource that forgets as it restarts, a reply that is lost, and writers that
// race. This package's own tests show that each case fails with a guard that is
// broken in that way.
package fencingtest

// Package register has what a drill's holders change: one text, at a resource that
// checks fences.
//
// The resource is a server of the drill's own, or the user's PostgreSQL, Redis or
// web server. Those are reached by the user's own psql, redis-cli or curl, so that
// their files of passwords and settings count, and no driver is needed. What is
// sent is the recipe that a script of the user's would send, and Recipe shows it.
//
// A register is opened once by the drill, which makes the text and removes it in
// the end, and once by each of its holders, in processes of their own. All that it
// knows is in its Spec.
package register

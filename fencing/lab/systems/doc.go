// Package systems has ways to lock, each behind the same small interface, each
// with the servers that it needs.
//
// All of them get the same TTL, take and release a name as their documentation
// says, and are asked for a fence if they have one. Where a library leaves a
// choice, the faster one is made: [Kind.About] says which.
package systems

// Package resource is what the locks of a soak guard: a register for each name,
// which refuses whoever comes with a lower fence than the greatest that it has
// seen.
//
// Clients in other processes use it through a Unix socket. What it did is
// recorded where it is done, so that the write of a client that is killed before
// it reads the answer is in the history as well.
package resource

// Package holders is clients of lock services as a careful program has them: each
// keeps its lock alive as long as it can, and knows when it may have lost it.
//
// Where a service has no sessions, its client renews the lock every third of the
// TTL, and counts the TTL on its own monotonic clock from before the last request
// that was granted.
package holders

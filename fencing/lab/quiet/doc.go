// Package quiet measures what it costs to have very many clients that do
// nothing: sessions that hold a name each, and waiters in one queue.
//
// Sessions are measured beside one more client, which takes and releases a name
// of its own before they come, while they hold, and once they have gone. In
// between nobody does anything, and what the servers use is what it costs to
// keep the sessions.
package quiet

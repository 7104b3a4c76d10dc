// Package ipc is lockside's line protocol, both sides of it, and its Go client.
//
// A process connects to the daemon's Unix socket and writes requests, one a
// line; the daemon answers each of them with one reply, in order. PROTOCOL.md,
// beside this file, is the protocol's definition. The package imports neither
// etcd nor anything else of lockside, so a client that uses it stays small.
//
// # The walk of a line
//
// Take "LOCK nightly wait=5s", sent by a client that wants a lock.
//
//  1. The daemon cuts the line from the connection at its LF. A line of more
//     than [MaxLine] bytes is answered [ErrTooLong], and is the only request
//     that costs the client its connection.
//  2. [Request.Parse] takes the line apart: verb, names, options. It refuses
//     what it does not know, for an option of a lock that is silently ignored
//     is worse than an error, and its refusals say what to write instead. A
//     Request is used again for line after line; in a parse of LOCK only the
//     name is allocated.
//  3. The daemon does what the request says. Nothing of that is known here.
//  4. What came of it is appended to the connection's write buffer:
//     [AppendGrant] for a lock granted, [AppendErr] for any error. An error
//     that is no [*Error] is answered "internal", so that a cause meant for
//     the log never reaches a client.
//  5. The client reads the line with [ParseReply], as a grant or as the
//     [*Error] that the daemon meant, the same value on both sides.
//
// # A lost lock
//
// A session that loses a lock ends: the daemon writes "! LOST reason=…" where
// it still can ([AppendLost]), and shuts the socket down. [Lock.Context] ends
// with a [*LostError], at that line, at end-of-file, or when the client's own
// deadline passes because the daemon has fallen silent, whichever is first.
package ipc

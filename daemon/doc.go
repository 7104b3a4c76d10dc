// Package daemon is one host's locksided: it serves the line protocol of
// package ipc on a Unix socket and holds the locks by package leases.
//
// # The walk of one LOCK line
//
//  1. The accept loop (server.go) takes a connection and starts its session,
//     which asks the kernel who is at the other end.
//  2. The session's reader (reader.go) cuts lines, whether or not a LOCK waits,
//     so that a client that hangs up is seen at once.
//  3. The session (session.go) parses and handles one line after the other. A
//     LOCK is handed to leases.Session and the session waits for the answer;
//     what else the client sends stands behind it (backlog.go).
//  4. The answer comes from the locks' side into the session's events, as
//     Granted or Refused, and the session writes the reply.
//
// # The walk of one lost lock
//
//  1. The locks' side calls Lost with its mutex held. The session's connection
//     is cut there and then: the LOST line is written if the socket takes it
//     without waiting, and shutdown(2) follows. The client reads end-of-file
//     although the session's goroutines have not run yet, and although
//     somebody else may have a duplicate of the descriptor.
//  2. The reader and the session find the connection at its end, and the
//     session is forgotten.
//
// # The walk of an accepted restore
//
//  1. The locks' side has noticed that etcd's revisions went back: whoever held
//     something is lost, and every LOCK is refused.
//  2. An operator's session (restore.go) has the locks' side write down what is
//     accepted, and ends the server (server.go), which stops as at the daemon's end.
//  3. Run (run.go) opens locks and a server anew on the same socket.
//
// # Goroutines
//
// A session has two: the reader, and the one that handles and writes. The
// session waits for its reader, and the server for its sessions. A client that
// does not read blocks only its own session, which then reads no further.
package daemon

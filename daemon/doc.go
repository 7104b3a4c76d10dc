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
// # The walk of an upgrade
//
//  1. HUP came, and the program that is in this one's file has proved that it can go on
//     (successor.go). Once every lease in use has time enough, serving ends (server.go).
//     Clients that connect from now on wait in the socket.
//  2. Sessions stop where they are (freeze.go): between two things that they do, whatever
//     they have read in part, have not yet handled, or could not yet write. A question to
//     etcd that is under way is asked again later. A lock that is lost meanwhile is told
//     as ever.
//  3. The locks' side is frozen: no answer that is under way is waited for, and nothing
//     is given back. From now on nobody holds more than before.
//  4. All of it is written to a memory file (image.go), and execve(2) puts the next
//     program into this process (handover). The connections stay open through it, and so
//     do the locks on the socket and on the state directory.
//  5. The next program reads the image before its configuration. One that does not
//     understand it, or cannot go on, ends, and its clients read end-of-file.
//  6. Its locks' side first of all loses what is past its deadline, and then renews every
//     lease. The sessions go on, and the socket is served.
//
// If execve fails, this program takes step 6 itself.
//
// # Goroutines
//
// A session has two: the reader, and the one that handles and writes. The
// session waits for its reader, and the server for its sessions. A client that
// does not read blocks only its own session, which then reads no further.
package daemon

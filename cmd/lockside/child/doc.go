// Package child runs a command so that no part of it outlives the one who
// asked for it. It knows nothing of locks: Run returns when the command's
// whole tree of processes is gone, and ends the tree when its context is done.
//
// # Processes
//
//	supervisor ── guard ── command ── whatever the command starts
//
// The supervisor is the process that calls Run. The guard is the same program
// executed once more, which calls Guard. Both are child subreapers (prctl(2),
// PR_SET_CHILD_SUBREAPER), so a process of the tree that loses its parent,
// for one by a double fork and setsid(2), becomes a child of the guard, and a
// child of the supervisor should the guard die. From this follow the rules:
//
//  1. Every process of the tree has the guard as an ancestor, so wait4(2)
//     tells the guard ECHILD only when the tree is gone. There is no list of
//     processes that could be incomplete.
//  2. The guard kills by walking /proc from itself downwards, again and again
//     until ECHILD. A process that was born during a walk is met by the next.
//  3. The supervisor alone holds the other end of the guard's control socket.
//     However it dies, kill -9 included, the guard reads end-of-file and kills
//     the tree. PR_SET_PDEATHSIG could not do this: it reaches the direct
//     child alone, and a set-user-ID program clears it.
//  4. When the guard dies the kernel kills the command (PR_SET_PDEATHSIG, set
//     by a thread that lives as long as the guard), and the supervisor, now
//     the nearest subreaper, kills the rest by rule 2.
//  5. The guard keeps Command.Keep open until the tree is gone. A connection
//     given there is not closed by kill -9 of the supervisor before rule 3
//     has done its work.
//
// The guard has a process group of its own, so that `kill -9 %1` in a shell
// does not take both, and a name of its own, so that `pkill lockside` does
// not. Only a kill -9 of both at the same moment lets processes behind the
// command escape. A process that we may not signal, such as a set-user-ID
// program, is waited for.
//
// A command that puts itself into the background ends with Run: what its
// first process leaves behind gets TERM, the grace, and KILL.
//
// # Terminal
//
// The command has its own process group, which is lent the terminal while we
// are in the foreground, as a shell does for a job. In a pipeline the others
// need it too, so there it is lent when the command first asks for it, which
// the kernel tells by stopping it with SIGTTIN or SIGTTOU.
//
// When the command stops (^Z) the supervisor takes the terminal back, has the
// guard stop the rest of the tree, and stops its own process group. Continued,
// it asks Command.Resume before any process of the tree runs on. So a lock that
// was lost meanwhile is never worked under again.
//
// SIGSTOP sent to the supervisor itself cannot be seen by anybody: the tree
// runs on, and ends only when the supervisor is continued. Against a frozen
// holder there is only the fence.
package child

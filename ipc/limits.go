package ipc

import "time"

// Version is the version of the protocol, as HELLO says it.
const Version = 1

// Limits that belong to the protocol: a daemon may set lower ones for what a
// session holds, never lower ones for what a line may say.
const (
	// MaxLine is the length of the longest line, in bytes, its LF included.
	MaxLine = 8192

	// MaxName is the length of the longest name, in bytes after unescaping.
	// The key of such a name, escaped for etcd and once more for a reply,
	// still fits into one line.
	MaxName = 512

	// MaxNames is how many names one LOCK or UNLOCK may carry.
	MaxNames = 32

	// MaxOwner is the length of the longest owner, in bytes after unescaping.
	MaxOwner = 256

	// MaxBehind is how many bytes a client may send behind a waiting LOCK.
	// With more the daemon stops reading, and a session that has more for a
	// second ends with [ReasonLimit].
	MaxBehind = 64 << 10
)

// WaitForever is [Request.Wait] of a LOCK that does not say wait=.
const WaitForever time.Duration = -1

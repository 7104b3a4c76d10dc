// Package listen serves a Unix socket at a path that only one daemon may serve.
//
// A lock file beside the socket, <path>.lock, is held by flock(2) as long as
// the daemon lives. It is what makes replacing a stale socket safe: between
// the look at the old socket and its removal no other daemon can have put a
// live one there. The lock file is never removed. If it were, a daemon that
// has opened the old file could lock that, while the next one makes and locks
// a new file, and both would believe that they are alone.
package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrInUse means that a live process serves the path already.
var ErrInUse = errors.New("socket in use")

// maxPath is what sockaddr_un holds besides its final NUL, unix(7).
const maxPath = 107

// Options says what to serve.
type Options struct {
	// Path is where the socket appears. Its directory is made if missing.
	Path string
	// Mode is the permission bits; a client needs write permission.
	Mode fs.FileMode
	// Group owns the socket, by name or number. Empty leaves the process's.
	Group string
	// Log hears of pauses in accepting. Nil discards them.
	Log *slog.Logger
}

// Listener accepts clients at one path.
type Listener struct {
	path   string
	id     fileID
	lock   *os.File
	socket *net.UnixListener
	log    *slog.Logger
	close  func() error
}

// Listen makes the socket. A socket that nobody serves any more is replaced; a
// served one, [ErrInUse], and a file that is no socket never are.
func Listen(o Options) (*Listener, error) {
	if len(o.Path) > maxPath {
		return nil, fmt.Errorf("listen on %s: the path has %d bytes, and a socket's may have %d; choose a shorter one", o.Path, len(o.Path), maxPath)
	}
	gid, err := lookupGroup(o.Group)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o755); err != nil {
		return nil, fmt.Errorf("make directory of socket: %w", err)
	}
	lock, err := lockFile(o.Path)
	if err != nil {
		return nil, err
	}
	l, err := listenLocked(o, gid)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	l.lock = lock
	return l, nil
}

// listenLocked does what needs the lock file.
func listenLocked(o Options, gid int) (*Listener, error) {
	if err := removeStale(o.Path); err != nil {
		return nil, err
	}
	socket, err := bind(o.Path, o.Mode, gid)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", o.Path, err)
	}
	return newListener(o.Path, socket, o.Log)
}

// Adopt is Listen for a socket that others made, at the path that it has: another
// program of this process, with its lock, or systemd, without one. Then systemd removes
// it too. The files are the Listener's from then on. It logs nothing before LogTo.
func Adopt(socket, lock *os.File) (*Listener, error) {
	defer socket.Close() // the net package makes a descriptor of its own
	listener, err := net.FileListener(socket)
	if err != nil {
		return nil, fmt.Errorf("take socket: %w", err)
	}
	unixListener, ok := listener.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(fmt.Errorf("take socket: %s is no Unix socket", listener.Addr()), listener.Close())
	}
	unixListener.SetUnlinkOnClose(false) // shut does it
	l, err := newListener(unixListener.Addr().String(), unixListener, nil)
	if err != nil {
		return nil, err
	}
	l.lock = lock
	return l, nil
}

func newListener(path string, socket *net.UnixListener, log *slog.Logger) (*Listener, error) {
	id, err := identify(path)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	l := &Listener{path: path, id: id, socket: socket, log: log}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.close = sync.OnceValue(l.shut)
	return l, nil
}

// LogTo has pauses in accepting be told to another log. It must not be called during
// Accept.
func (l *Listener) LogTo(log *slog.Logger) { l.log = log }

// Given reports whether the socket was made by systemd, whose it stays.
func (l *Listener) Given() bool { return l.lock == nil }

// Descriptors are the numbers of the socket and its lock in this process; the lock is -1
// if there is none.
func (l *Listener) Descriptors() (socket, lock int, err error) {
	raw, err := l.socket.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { socket = int(fd) })
	}
	if err != nil {
		return 0, 0, fmt.Errorf("reach socket: %w", err)
	}
	if l.Given() {
		return socket, -1, nil
	}
	return socket, int(l.lock.Fd()), nil
}

// Path is where the socket is.
func (l *Listener) Path() string { return l.path }

// Close stops accepting and removes the socket, unless somebody put another
// file in its place. A second call does nothing more.
func (l *Listener) Close() error { return l.close() }

// shut removes the socket while the lock is still held, so that it cannot be
// the next daemon's.
func (l *Listener) shut() error {
	if l.Given() {
		return l.socket.Close() // who made it removes it
	}
	var remove error
	if id, err := identify(l.path); err == nil && id == l.id {
		remove = os.Remove(l.path)
	}
	return errors.Join(remove, l.socket.Close(), l.lock.Close())
}

// fileID tells one file from every other that exists at the same time.
type fileID struct{ dev, ino uint64 }

func identify(path string) (fileID, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fileID{}, fmt.Errorf("look at %s: %w", path, err)
	}
	return fileID{uint64(st.Dev), st.Ino}, nil
}

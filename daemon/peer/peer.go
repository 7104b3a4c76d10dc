// Package peer tells who is at the other end of a Unix socket.
//
// The uid, gid and pid are the kernel's word, as of the connect (SO_PEERCRED,
// unix(7)); they may decide what a client is allowed. What /proc says of the
// pid is for people and for the record. A pid may be another process's by the
// time it is looked up, so /proc/PID is opened once, as a directory, which stays
// bound to that one process; and a pidfd of the peer (SO_PEERPIDFD, Linux 6.5),
// alive after that, proves that the process is the peer. Older kernels leave a
// smaller proof: the process has the peer's uid.
package peer

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Peer is one process as it was when it connected. Fields that /proc fills are
// empty if the process has exited or is hidden.
type Peer struct {
	UID, GID uint32
	// PID is zero for a process that this PID namespace does not know.
	PID int32
	// User is the name of UID, or its number where it has none.
	User string
	// Comm is the process's own name for itself, at most [MaxComm] bytes of
	// its choice: they may be anything but a newline.
	Comm string
	// Unit is the systemd unit that the process runs in, such as
	// backup.service or session-3.scope.
	Unit string
	// UserUnit is the unit within the user's own systemd, where Unit is that
	// user's manager. Users name these as they like.
	UserUnit string
	// Started is when the process started, since boot.
	Started time.Duration
}

// Identifier identifies peers. It keeps the names of users for a while. The
// zero value is ready, and it serves any number of goroutines.
type Identifier struct {
	names names
}

// Identify tells who connected to the other end of conn. The error is that of
// a connection that cannot say; what is merely unknown is left empty. No
// descriptor stays open.
func (id *Identifier) Identify(conn *net.UnixConn) (Peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Peer{}, fmt.Errorf("identify peer: %w", err)
	}
	var peer Peer
	control := raw.Control(func(fd uintptr) { peer, err = identify(int(fd)) })
	if control != nil {
		err = control
	}
	if err != nil {
		return Peer{}, fmt.Errorf("identify peer: %w", err)
	}
	peer.User = id.names.of(peer.UID)
	return peer, nil
}

// identify asks the kernel, and then /proc if the process is there to ask for.
func identify(socket int) (Peer, error) {
	cred, err := unix.GetsockoptUcred(socket, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Peer{}, err
	}
	peer := Peer{UID: cred.Uid, GID: cred.Gid, PID: cred.Pid}
	if peer.PID > 0 {
		peer.describe(socket)
	}
	return peer, nil
}

// describe fills what /proc knows, once the process there is sure to be the
// peer.
func (p *Peer) describe(socket int) {
	pidfd, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	switch err {
	case nil:
		defer unix.Close(pidfd)
	case unix.ENOPROTOOPT:
		pidfd = noPidfd
	default: // The peer has exited and is reaped.
		return
	}
	proc, err := openProcess(p.PID)
	if err != nil {
		return
	}
	defer proc.close()
	if pidfd != noPidfd && exited(pidfd) || pidfd == noPidfd && !proc.belongsTo(p.UID) {
		return
	}
	p.Comm, p.Started = proc.stat()
	p.Unit, p.UserUnit = proc.units()
}

const noPidfd = -1

// exited reports whether a pidfd's process has ended, pidfd_open(2). It may
// not have been reaped yet; if it has not ended, its pid is still its own.
func exited(pidfd int) bool {
	poll := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, 0)
	return n != 0 || err != nil
}

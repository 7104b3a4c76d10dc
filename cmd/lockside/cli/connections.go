package cli

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// connections duplicates our connections to the daemon for the guard to keep.
// So the daemon reads end-of-file, and gives the lock to another, only when
// the command's processes are gone, even if lockside itself is killed before.
//
// They are the connected Unix sockets that are closed on exec: what we
// inherited, standard error as a socket of the journal for one, is not.
func connections() []*os.File {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil // The guard still ends the command, a moment later.
	}
	var files []*os.File
	for _, name := range names {
		fd, err := strconv.Atoi(name.Name())
		if err != nil || !isConnection(fd) {
			continue
		}
		if fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3); err == nil {
			files = append(files, os.NewFile(uintptr(fd), "connection"))
		}
	}
	return files
}

// unnamed is how x/sys shows the address of a socket that has none, such as one of
// socketpair(2).
const unnamed = "@"

func isConnection(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return false
	}
	peer, err := unix.Getpeername(fd)
	if err != nil {
		return false
	}
	address, ok := peer.(*unix.SockaddrUnix)
	return ok && address.Name != "" && address.Name != unnamed
}

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}

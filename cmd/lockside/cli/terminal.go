package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminal is the descriptor of standard error if that is a terminal, or -1.
func (a *app) terminal() int {
	file, ok := a.stderr.(*os.File)
	if !ok {
		return -1
	}
	fd := int(file.Fd())
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
		return -1
	}
	return fd
}

package systemd

import (
	"fmt"
	"os"

	"github.com/coreos/go-systemd/v22/activation"
)

// SocketName is what FileDescriptorName= in lockside.socket says.
const SocketName = "clients"

// Socket is the listening socket that systemd has made, sd_listen_fds(3), and nil if it
// has made none. Nobody is told of it a second time, and no child of this process is.
// The error is that of several, or of others.
func Socket() (*os.File, error) {
	files := activation.Files(true)
	switch {
	case len(files) == 0:
		return nil, nil
	case len(files) > 1:
		for _, f := range files {
			f.Close()
		}
		return nil, fmt.Errorf("systemd gives %d sockets: leave one ListenStream= in the socket unit", len(files))
	}
	return files[0], nil
}

package drill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"lockside/cmd/lockside/drill/register"
	"lockside/fencing"
)

// An order is what a holder is told to do.
type order struct {
	Do string

	Socket   string         `json:",omitzero"` // of the daemon, for open
	Register *register.Spec `json:",omitzero"`
	Name     string         `json:",omitzero"` // for lock
	Wait     time.Duration  `json:",omitzero"` // for lock; zero waits for nobody
	Fenced   bool           `json:",omitzero"` // for write
	Value    string         `json:",omitzero"` // for write
}

// What a holder can do.
const (
	doOpen   = "open"   // learn where the daemon and the register are
	doLock   = "lock"   // take the lock
	doClaim  = "claim"  // raise the watermark to the fence
	doRead   = "read"   // read the text
	doCheck  = "check"  // ask the daemon how long the lock is safe
	doWrite  = "write"  // replace the text, without a look at the lock
	doLose   = "lose"   // wait until the lock is lost
	doUnlock = "unlock" // give the lock back
)

// A report is what became of an order. A holder that took the lock sends its
// connection to the daemon along.
type report struct {
	Token  fencing.Token `json:",omitzero"` // of lock
	Value  string        `json:",omitzero"` // of read
	Left   time.Duration `json:",omitzero"` // of check
	Cause  string        `json:",omitzero"` // of lose
	Failed *failure      `json:",omitzero"`
}

// maxMessage is more than any message has.
const maxMessage = 64 << 10

// A control is one end of the socket between the drill and a holder.
type control struct{ conn *net.UnixConn }

// newControl makes both ends, one of them for a process to inherit. Packets keep
// messages apart, and descriptors with them.
func newControl() (*control, *os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a control socket: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	ours, err := adoptControl(os.NewFile(uintptr(pair[0]), "control"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}

// adoptControl makes a control of a socket, which it closes.
func adoptControl(file *os.File) (*control, error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("use the control socket: %w", err)
	}
	packets, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("the control socket is none"), conn.Close())
	}
	return &control{packets}, nil
}

func (c *control) close() { _ = c.conn.Close() }

// send sends a message, and duplicates of files.
func (c *control) send(message any, files ...*os.File) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	var rights []byte
	if len(files) > 0 {
		var descriptors []int
		for _, file := range files {
			descriptors = append(descriptors, int(file.Fd()))
		}
		rights = unix.UnixRights(descriptors...)
	}
	_, _, err = c.conn.WriteMsgUnix(text, rights, nil)
	return err
}

// receive waits for a message. The error is io.EOF once the other end is closed.
func (c *control) receive(message any) ([]*os.File, error) {
	text, rights := make([]byte, maxMessage), make([]byte, 1024)
	n, nRights, _, _, err := c.conn.ReadMsgUnix(text, rights)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return nil, err
	}
	files, err := filesOf(rights[:nRights])
	return files, errors.Join(err, json.Unmarshal(text[:n], message))
}

// filesOf are the files that came with a message.
func filesOf(rights []byte) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		descriptors, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range descriptors {
			files = append(files, os.NewFile(uintptr(fd), "connection"))
		}
	}
	return files, nil
}

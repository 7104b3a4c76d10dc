package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"lockside/daemon/handover"
	"lockside/daemon/listen"
	"lockside/daemon/peer"
	"lockside/leases"
)

// ImageVersion is the form in which a daemon hands over what it knows. A program goes
// on from no other.
const ImageVersion = 1

// image is a frozen daemon as text. Files are told by their descriptors.
type image struct {
	Version    int
	Started    time.Time
	Socket     int
	SocketLock int
	StateDir   string
	State      int // the lock of the state directory
	Locks      *leases.Image
	Sessions   []sessionImage
}

// sessionImage is a session, stopped between two things that it does.
type sessionImage struct {
	ID         uint64
	Connection int
	Peer       peer.Peer
	Owner      string
	Waits      wait
	Names      []string
	Behind     []byte
	End        ending
	Cancels    int
	Cancelled  int64
	In         []byte // what was read and is no line yet
	Out        []byte // replies that the client has not taken
	Torn       bool   // the first of them is in part with the client
}

// Exec replaces this program by another, which goes on as this daemon. It returns only
// with an error: then this one is to go on.
func (f *Frozen) Exec(program string, args []string) error {
	img, err := f.image()
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	text, err := json.Marshal(img)
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	descriptors := []int{img.Socket, img.State}
	if img.SocketLock >= 0 {
		descriptors = append(descriptors, img.SocketLock)
	}
	for _, n := range img.Sessions {
		descriptors = append(descriptors, n.Connection)
	}
	return handover.Exec(program, args, os.Environ(), text, descriptors)
}

func (f *Frozen) image() (*image, error) {
	img := &image{
		Version: ImageVersion, Started: f.started, StateDir: f.config.StateDir, State: int(f.state.Fd()), Locks: f.locks,
	}
	var err error
	if img.Socket, img.SocketLock, err = f.socket.Descriptors(); err != nil {
		return nil, err
	}
	for _, n := range f.sessions {
		n.settle()
		if !n.over {
			img.Sessions = append(img.Sessions, n.image())
		}
	}
	return img, nil
}

// settle takes in what the locks' side has told a session that is stopped.
func (n *session) settle() {
	for {
		select {
		case e := <-n.events:
			n.answer(e)
		default:
			return
		}
	}
}

func (n *session) image() sessionImage {
	l := &n.reader.lines
	return sessionImage{
		ID: n.id, Connection: n.conn.descriptor(), Peer: n.peer, Owner: n.owner, Waits: n.waits, Names: n.names,
		Behind: n.behind.text, End: n.behind.end, Cancels: n.behind.cancels, Cancelled: n.cancelled,
		In: l.buf[l.start:l.end], Out: n.out, Torn: n.conn.torn,
	}
}

// Inherit is the frozen daemon that the program before this one in the same process has
// left, and nil if there was none. After an error this program has nothing to do with
// the clients and must end, whereby they read end-of-file.
func Inherit() (*Frozen, error) {
	text, err := handover.Take()
	if text == nil || err != nil {
		return nil, err
	}
	var version struct{ Version int }
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("read what was handed over: %w", err)
	}
	if version.Version != ImageVersion {
		return nil, fmt.Errorf("read what was handed over: it has version %d, and this program reads %d", version.Version, ImageVersion)
	}
	img := new(image)
	if err := json.Unmarshal(text, img); err != nil {
		return nil, fmt.Errorf("read what was handed over: %w", err)
	}
	return img.thaw()
}

// thaw takes the files, all or none.
func (img *image) thaw() (*Frozen, error) {
	if img.Locks == nil || img.Locks.Machine == nil {
		return nil, errors.New("read what was handed over: there are no locks in it")
	}
	f := &Frozen{locks: img.Locks, started: img.Started}
	f.config.StateDir, f.config.Prefix = img.StateDir, img.Locks.Prefix
	if err := f.take(img); err != nil {
		f.abandon()
		return nil, err
	}
	f.config.Socket = f.socket.Path()
	return f, nil
}

// take takes as much as it can, the clients first.
func (f *Frozen) take(img *image) (err error) {
	for _, n := range img.Sessions {
		session, err := n.thaw()
		if err != nil {
			return err
		}
		f.sessions = append(f.sessions, session)
	}
	if f.state, err = handover.File(img.State, "lock of state directory"); err != nil {
		return err
	}
	socket, err := handover.File(img.Socket, "socket")
	if err != nil {
		return err
	}
	var lock *os.File
	if img.SocketLock >= 0 { // systemd's socket has none
		if lock, err = handover.File(img.SocketLock, "lock of socket"); err != nil {
			return err
		}
	}
	f.socket, err = listen.Adopt(socket, lock)
	return err
}

func (img sessionImage) thaw() (*session, error) {
	c, err := takeConn(img.Connection)
	if err != nil {
		return nil, err
	}
	c.torn = img.Torn
	n := &session{
		id: img.ID, conn: c, peer: img.Peer, owner: img.Owner, events: make(chan event, 2),
		waits: img.Waits, names: img.Names, cancelled: img.Cancelled, out: img.Out,
		behind: backlog{text: img.Behind, end: img.End, cancels: img.Cancels},
	}
	n.reader.lines = lines{in: c, buf: img.In, end: len(img.In)}
	return n, nil
}

func takeConn(fd int) (*conn, error) {
	file, err := handover.File(fd, "connection")
	if err != nil {
		return nil, err
	}
	defer file.Close() // the net package makes a descriptor of its own
	c, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("take connection: %w", err)
	}
	unixConn, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("take connection: descriptor %d is none of a client", fd), c.Close())
	}
	return newConn(unixConn)
}

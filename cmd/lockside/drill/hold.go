package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"lockside/cmd/lockside/drill/register"
	"lockside/fencing"
	"lockside/ipc"
)

// How long a holder waits for one answer of the daemon or the resource, and for the
// loss of a lock that is gone.
const (
	answerTimeout = 15 * time.Second
	lossTimeout   = 10 * time.Second
)

// controlDescriptor is what a holder inherits: the first behind the streams.
const controlDescriptor = 3

// hold is a holder's own view of the drill.
type hold struct {
	connections func() []*os.File
	socket      string
	register    register.Register
	client      *ipc.Client
	lock        *ipc.Lock
	token       fencing.Token
}

// Hold is the life of a holder's process, which [Run] starts. It does what it is
// told until the drill hangs up. Connections finds this process's connections to
// the daemon. An error says that nobody told it anything.
func Hold(connections func() []*os.File) error {
	c, err := adoptControl(os.NewFile(controlDescriptor, "control"))
	if err != nil {
		return fmt.Errorf("lockside drill starts a holder, nobody else: %w", err)
	}
	defer c.close()
	h := &hold{connections: connections}
	defer h.end()
	for {
		var o order
		if _, err := c.receive(&o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		r, files := h.do(o)
		err := c.send(r, files...)
		for _, file := range files {
			file.Close()
		}
		if err != nil {
			return err
		}
	}
}

func (h *hold) end() {
	if h.client != nil {
		_ = h.client.Close() // which has no error of its own
	}
}

func (h *hold) do(o order) (r report, files []*os.File) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout+o.Wait)
	defer cancel()
	var err error
	switch o.Do {
	case doOpen:
		h.socket = o.Socket
		h.register, err = register.Open(*o.Register)
	case doLock:
		if err = h.take(ctx, o); err == nil {
			r.Token, files = h.token, h.connections()
		}
	case doClaim:
		err = h.register.Claim(ctx, h.token)
	case doRead:
		r.Value, err = h.register.Read(ctx)
	case doCheck:
		r.Left, err = h.lock.Check(ctx)
	case doWrite:
		token := h.token
		if !o.Fenced {
			token = fencing.Token{}
		}
		err = h.register.Write(ctx, token, o.Value)
	case doLose:
		r.Cause, err = h.lose()
	case doUnlock:
		err = h.lock.Unlock(ctx)
	}
	r.Failed = newFailure(err)
	return r, files
}

// take connects to the daemon, if it has not before, and takes the lock.
func (h *hold) take(ctx context.Context, o order) (err error) {
	if h.client == nil {
		if h.client, err = ipc.Dial(ctx, h.socket, ipc.DefaultOwner("lockside drill")); err != nil {
			return err
		}
	}
	if h.lock, err = h.client.Lock(ctx, o.Name, ipc.Wait(o.Wait)); err != nil {
		return err
	}
	h.token = fencing.Token{Cluster: fencing.Cluster(h.lock.Cluster()), Fence: h.lock.Fence()}
	return nil
}

// lose waits until the lock's context ends, and says why it did.
func (h *hold) lose() (string, error) {
	timer := time.NewTimer(lossTimeout)
	defer timer.Stop()
	select {
	case <-h.lock.Context().Done():
		return context.Cause(h.lock.Context()).Error(), nil
	case <-timer.C:
		return "", errors.New("the daemon does not tell of the loss")
	}
}

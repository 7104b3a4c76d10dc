package drill

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"lockside/cmd/lockside/drill/register"
	"lockside/fencing"
)

// A holder is a process that takes the lock, as the drill sees it.
type holder struct {
	name  string
	token fencing.Token // once it has the lock

	process     *process
	control     *control
	connections []*os.File // duplicates of its own to the daemon
}

// enter starts a holder. It is this program, executed again with args.
func enter(ctx context.Context, name string, args []string, log io.Writer, socket string, spec register.Spec) (*holder, error) {
	ours, theirs, err := newControl()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := &exec.Cmd{Path: args[0], Args: args[1:], Stderr: log, ExtraFiles: []*os.File{theirs}}
	p, err := start(cmd)
	if err != nil {
		ours.close()
		return nil, fmt.Errorf("start a holder: %w", err)
	}
	h := &holder{name: name, process: p, control: ours}
	if _, err := h.do(ctx, order{Do: doOpen, Socket: socket, Register: &spec}); err != nil {
		h.leave()
		return nil, err
	}
	return h, nil
}

// leave ends the process, and with it its connection and its lock.
func (h *holder) leave() {
	h.process.kill()
	h.control.close()
	h.forget()
}

func (h *holder) forget() {
	for _, file := range h.connections {
		file.Close()
	}
	h.connections = nil
}

// do tells the holder to do something, and waits until that is done.
func (h *holder) do(ctx context.Context, o order) (report, error) {
	if err := h.tell(o); err != nil {
		return report{}, err
	}
	return h.hear(ctx)
}

// tell is for what a holder that is stopped is to do first when it goes on.
func (h *holder) tell(o order) error {
	if err := h.control.send(o); err != nil {
		return fmt.Errorf("tell the %s holder what to do: %w", h.name, err)
	}
	return nil
}

// hear waits for the report of what the holder was told. Its error is what failed
// there, or the context's.
func (h *holder) hear(ctx context.Context) (report, error) {
	stop := context.AfterFunc(ctx, func() { h.control.close() })
	defer stop()
	var r report
	files, err := h.control.receive(&r)
	h.connections = append(h.connections, files...)
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case err != nil:
		return r, fmt.Errorf("hear from the %s holder: %w", h.name, err)
	case r.Failed != nil:
		return r, r.Failed
	}
	if !r.Token.IsZero() {
		h.token = r.Token
	}
	return r, nil
}

// cut ends the holder's connection to the daemon, which reads end-of-file: that
// needs nothing of a holder that is stopped.
func (h *holder) cut() error {
	if len(h.connections) == 0 {
		return fmt.Errorf("the %s holder has no connection to the daemon", h.name)
	}
	for _, file := range h.connections {
		if err := unix.Shutdown(int(file.Fd()), unix.SHUT_RDWR); err != nil {
			return fmt.Errorf("end the connection of the %s holder: %w", h.name, err)
		}
	}
	h.forget()
	return nil
}

package actor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"lockside/fencing/lab/servers"
)

// A Handle drives an actor from the process that started it.
type Handle struct {
	program *servers.Program
	in      *os.File
	reader  sync.WaitGroup
	answers chan Message
}

// Start runs an actor in a process of its own. Every message is heard, from one
// goroutine, before its step returns.
func Start(dir string, config Config, hear func(Message)) (*Handle, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	steps, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a client: %w", err)
	}
	defer steps.Close() // the actor has it
	out, messages, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a client: %w", err), in.Close())
	}
	defer messages.Close()
	program, err := servers.StartDriven(dir, config.Name, Variable+"="+string(text), steps, messages)
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	h := &Handle{program: program, in: in, answers: make(chan Message, 16)}
	h.reader.Go(func() { h.read(out, hear) })
	return h, nil
}

func (h *Handle) read(out *os.File, hear func(Message)) {
	defer out.Close()
	defer close(h.answers)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var m Message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			continue // half a line, of an actor that was ended
		}
		hear(m)
		if m.answers() {
			h.answers <- m
		}
	}
}

// Begin has the actor take a step. Its answer is for Answer.
func (h *Handle) Begin(step Step) error {
	line, err := json.Marshal(step)
	if err != nil {
		return err
	}
	if _, err := h.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("tell a client to %s: %w", step.Do, err)
	}
	return nil
}

// Answer waits for the answer to the step that was begun first.
func (h *Handle) Answer(ctx context.Context) (Message, error) {
	select {
	case m, ok := <-h.answers:
		if !ok {
			return Message{}, fmt.Errorf("a client has ended: %s", h.program.Log())
		}
		return m, nil
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	}
}

// Do is Begin and Answer.
func (h *Handle) Do(ctx context.Context, step Step) (Message, error) {
	if err := h.Begin(step); err != nil {
		return Message{}, err
	}
	return h.Answer(ctx)
}

// Pause stops the process as SIGSTOP does, and returns once it stands still.
func (h *Handle) Pause() error { return h.program.Freeze(0) }

// Resume lets it go on.
func (h *Handle) Resume() error { return h.program.Thaw(0) }

// Close ends the process and waits for all that it has said.
func (h *Handle) Close() {
	h.in.Close()
	h.program.Finish(time.Second)
	h.reader.Wait()
}

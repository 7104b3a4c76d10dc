package actor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"lockside/fencing/lab/holders"
	"lockside/fencing/lab/timeline"
)

const (
	// lookPeriod is how often an actor looks whether its lock may be lost.
	lookPeriod = 2 * time.Millisecond

	// stepTimeout bounds every step but an Acquire.
	stepTimeout = 10 * time.Second
)

// Main runs an actor and exits if this process was started as one. Programs that
// start actors call it before all else.
func Main() {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		return
	}
	var config Config
	err := json.Unmarshal([]byte(text), &config)
	if err == nil {
		err = run(context.Background(), config, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// An actor is the process's only one.
type actor struct {
	config Config
	holder holders.Holder
	things *things
	fence  int64
	value  string // that it has read

	mu  sync.Mutex // guards what follows
	out *json.Encoder
	has bool // a grant, so that it can be lost
}

// run takes steps until there are no more.
func run(ctx context.Context, config Config, in io.Reader, out io.Writer) error {
	holder, err := holders.Open(ctx, config.Holder)
	if err != nil {
		return err
	}
	things, err := openThings(ctx, config)
	if err != nil {
		return errors.Join(err, holder.Close())
	}
	a := &actor{config: config, holder: holder, things: things, out: json.NewEncoder(out)}
	over := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() { a.look(over) })
	err = a.steps(ctx, in)
	close(over)
	looks.Wait()
	return errors.Join(err, holder.Close(), things.close(ctx))
}

func (a *actor) steps(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var step Step
		if err := json.Unmarshal(lines.Bytes(), &step); err != nil {
			return fmt.Errorf("read a step: %w", err)
		}
		a.tell(a.step(ctx, step))
	}
	return lines.Err()
}

func (a *actor) step(ctx context.Context, step Step) Message {
	if step.Wait == 0 {
		step.Wait = stepTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, step.Wait)
	defer cancel()
	told := a.holder.Told()
	kind, err := a.do(ctx, step.Do)
	m := Message{At: Now(), Kind: kind, Fence: a.fence, Value: a.value}
	if step.Do == Write {
		m.Told = told
	}
	switch {
	case errors.Is(err, errStale):
		m.Kind, m.Text = timeline.Refused, err.Error()
	case err != nil:
		m.Kind, m.Text = timeline.Failed, err.Error()
	}
	return m
}

func (a *actor) do(ctx context.Context, do Do) (kind timeline.Kind, err error) {
	switch do {
	case Acquire:
		a.fence, err = a.holder.Acquire(ctx, a.config.Lock)
		a.hold(err == nil)
		return timeline.Grant, err
	case Read:
		a.value, err = a.things.read(ctx, a.fence)
		return timeline.Read, err
	case Write:
		a.value += a.config.Name
		return timeline.Write, a.things.write(ctx, a.fence, a.value)
	case Release:
		a.hold(false)
		return timeline.Release, a.holder.Release(ctx)
	}
	return "", fmt.Errorf("no step %q", do)
}

func (a *actor) hold(has bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.has = has
}

func (a *actor) tell(m Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.out.Encode(m) // fails when nobody listens any more
}

// look tells of each change of what the holder knows, while there is a lock.
func (a *actor) look(over <-chan struct{}) {
	again := time.NewTicker(lookPeriod)
	defer again.Stop()
	last := ""
	for {
		select {
		case <-over:
			return
		case <-again.C:
		}
		a.mu.Lock()
		has := a.has
		a.mu.Unlock()
		told := a.holder.Told()
		switch {
		case !has || told == last:
			continue
		case told != "" && last == "":
			a.tell(Message{At: Now(), Kind: timeline.Told, Text: told})
		case told == "":
			a.tell(Message{At: Now(), Kind: timeline.Note, Text: "it has the lock still"})
		}
		last = told
	}
}

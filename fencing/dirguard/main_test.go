package dirguard_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"lockside/fencing"
	"lockside/fencing/dirguard"
)

// callIn has the test's program do a call, which is JSON, instead of running the
// tests.
const callIn = "DIRGUARD_TEST_CALL"

// A call is what a process does with a guard.
type call struct {
	Dir    string
	Method string // of the guard, and Writes for many
	Token  fencing.Token
	Value  string
	Fails  bool

	// Signal is what the process sends to itself at the step At, the nth time that
	// it comes there.
	Signal syscall.Signal
	At     string
	Nth    int
}

// A result is what a call's error is.
type result struct {
	Word    string
	Token   fencing.Token `json:",omitzero"`
	Highest fencing.Token `json:",omitzero"`
}

func TestMain(m *testing.M) {
	if text := os.Getenv(callIn); text != "" {
		var c call
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			panic(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(resultOf(c.do())); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func (c *call) do() error {
	guard := dirguard.New(c.Dir)
	guard.OnStep(func(name string) {
		if name == c.At {
			if c.Nth--; c.Nth == 0 {
				fmt.Println("at", name)
				_ = syscall.Kill(os.Getpid(), c.Signal) // never fails for oneself
				_, _ = io.ReadAll(os.Stdin)             // a signal may take a moment
			}
		}
	})
	ctx := context.Background()
	switch c.Method {
	case "Claim":
		return guard.Claim(ctx, c.Token)
	case "Write":
		return guard.Write(ctx, c.Token, c.fill())
	case "WriteOnce":
		return guard.WriteOnce(ctx, c.Token, c.fill())
	}
	for i := 1; ; i++ { // Writes
		if err := guard.Write(ctx, c.Token, fill(fmt.Sprintf("%s.%d", c.Value, i), false)); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

func (c *call) fill() dirguard.Fill { return fill(c.Value, c.Fails) }

var errFailed = errors.New("it fails as it was told to")

// fill writes a value to three files, one of them in a directory, or fails between.
func fill(value string, fails bool) dirguard.Fill {
	return func(root *os.Root) error {
		if err := root.WriteFile("value", []byte(value), 0o666); err != nil {
			return err
		}
		if fails {
			return errFailed
		}
		if err := root.Mkdir("below", 0o777); err != nil {
			return err
		}
		return errors.Join(root.WriteFile("below/value", []byte(value), 0o666), root.Symlink("value", "again"))
	}
}

// sentinels are the errors of guards by the words that cross processes.
func sentinels() map[string]error {
	return map[string]error{
		"stale": fencing.ErrStale, "spent": fencing.ErrSpent, "cluster": fencing.ErrCluster,
		"token": fencing.ErrToken, "unknown": fencing.ErrUnknown,
	}
}

func resultOf(err error) result {
	if err == nil {
		return result{Word: "done"}
	}
	r := result{Word: err.Error()}
	for word, sentinel := range sentinels() {
		if errors.Is(err, sentinel) {
			r.Word = word
		}
	}
	if stale, ok := errors.AsType[*fencing.StaleError](err); ok {
		r.Token, r.Highest = stale.Token, stale.Highest
	}
	return r
}

func (r result) err() error {
	switch sentinel := sentinels()[r.Word]; {
	case r.Word == "done":
		return nil
	case r.Word == "stale":
		return &fencing.StaleError{Token: r.Token, Highest: r.Highest}
	case sentinel != nil:
		return sentinel
	}
	return errors.New(r.Word)
}

// A process does a call.
type process struct {
	cmd *exec.Cmd
	in  io.Closer // what a process that goes on waits for
	out *bufio.Reader
}

func start(c call) (*process, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), callIn+"="+string(text), "GORACE=atexit_sleep_ms=0") // which is a second else
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, p.cmd.Start()
}

// reach waits until the process has come to its step.
func (p *process) reach() error {
	line, err := p.out.ReadString('\n')
	if err == nil && !bytes.HasPrefix([]byte(line), []byte("at ")) {
		err = fmt.Errorf("it did not come to its step: %s", line)
	}
	return err
}

// stopped waits until a process that has reached its step is stopped: else it could
// be told to go on before it is.
func (p *process) stopped() error {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err == nil && !status.Stopped():
			return fmt.Errorf("it ended, and did not stop: %v", status)
		}
		return err
	}
}

// goOn lets a process that stopped itself go on.
func (p *process) goOn() error {
	return errors.Join(p.cmd.Process.Signal(syscall.SIGCONT), p.in.Close())
}

// wait is the call's error, or [io.EOF] where the process was killed.
func (p *process) wait() error {
	text, err := io.ReadAll(p.out)
	if err != nil {
		return err
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %v", io.EOF, err)
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("read the result %q: %w", text, err)
	}
	return r.err()
}

// run does a call in a process.
func run(c call) error {
	p, err := start(c)
	if err != nil {
		return err
	}
	if c.Signal != 0 {
		_ = p.reach() // which the wait tells as well
	}
	return p.wait()
}

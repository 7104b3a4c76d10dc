package servers

import (
	"context"
	"os"
	"syscall"
	"time"
)

// A Program is any other process that is treated as servers are.
type Program struct {
	group
}

// StartProgram runs this program anew, in a directory of that name, with a
// variable more in its environment. What it writes to its standard output goes
// to a file of the caller's, who closes it.
func StartProgram(parent, name, variable string, output *os.File) (*Program, error) {
	return StartDriven(parent, name, variable, nil, output)
}

// StartDriven is StartProgram for one whose standard input is a file of the
// caller's as well.
func StartDriven(parent, name, variable string, input, output *os.File) (*Program, error) {
	dir, err := subdir(parent, name)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := command{name: name, dir: dir, path: self, env: []string{variable}, input: input, output: output}
	g, err := startGroup(context.Background(), []command{c}, func(context.Context, int) error { return nil })
	if err != nil {
		return nil, err
	}
	return &Program{g}, nil
}

// Finish sends TERM and waits for the end of the process. It reports whether
// that came within the time; otherwise the process was killed.
func (p *Program) Finish(within time.Duration) bool {
	return p.group[0].end(syscall.SIGTERM, within)
}

// Err is why the process ended, once it has; nil for one that exited with 0.
func (p *Program) Err() error {
	l := p.group[0].now()
	<-l.ended
	return l.err
}

// Log is the end of what the process wrote to its standard error.
func (p *Program) Log() string { return string(p.group[0].tail()) }

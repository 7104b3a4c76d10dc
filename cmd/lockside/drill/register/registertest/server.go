package registertest

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// ErrMissing is for a program that is not installed.
var ErrMissing = errors.New("not installed")

// How long a server takes to begin, at most, and how often it is asked.
const (
	beginTimeout = 30 * time.Second
	beginPause   = 20 * time.Millisecond
)

// A Server runs until Stop.
type Server struct {
	URL   string
	cmd   *exec.Cmd
	ended chan error
}

// startServer starts a server, and waits until it answers.
func startServer(cmd *exec.Cmd, url string, ask func() error) (*Server, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	s := &Server{URL: url, cmd: cmd, ended: make(chan error, 1)}
	go func() { s.ended <- cmd.Wait() }()
	var err error
	for give := time.Now().Add(beginTimeout); time.Now().Before(give); {
		if err = ask(); err == nil {
			return s, nil
		}
		select {
		case err := <-s.ended:
			return nil, fmt.Errorf("start %s: it has ended: %w", cmd.Path, err)
		case <-time.After(beginPause):
		}
	}
	s.Stop()
	return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
}

// Stop ends the server at once, and waits for that.
func (s *Server) Stop() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGQUIT) // Postgres ends its children
	select {
	case <-s.ended:
		return
	case <-time.After(beginTimeout):
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.ended
}

// find is exec.LookPath, with more places to look.
func find(name string, elsewhere ...string) (string, error) {
	for _, path := range append([]string{name}, elsewhere...) {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrMissing)
}

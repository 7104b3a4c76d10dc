package daemon

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// proofTime bounds the proof of a successor.
const proofTime = 10 * time.Second

// A Successor is the program that is to go on as this daemon, in the same process: the
// file of this one, whatever has been installed there since, or its configuration.
type Successor struct {
	Program string
	Args    []string // without its name
}

// NewSuccessor is the program of this process's file, with the same command line.
func NewSuccessor() (*Successor, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own program: %w", err)
	}
	return &Successor{program, os.Args[1:]}, nil
}

// Prove has the program say that it can take over: that it runs, that its configuration
// is valid, and that it reads an image of this daemon.
func (s *Successor) Prove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	check := append([]string{"check", "--image=" + strconv.Itoa(ImageVersion)}, s.Args...)
	said, err := exec.CommandContext(ctx, s.Program, check...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("check %s: %w: %s", s.Program, err, bytes.TrimSpace(said))
	}
	return nil
}

// TakeOver has the program go on from a frozen daemon. It returns only with an error.
func (s *Successor) TakeOver(f *Frozen) error {
	return f.Exec(s.Program, append([]string{os.Args[0]}, s.Args...))
}

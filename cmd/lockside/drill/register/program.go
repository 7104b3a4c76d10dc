package register

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// A program is one of the user's own, which speaks to a resource.
type program struct {
	name    string
	install string // the packages that have it
	args    []string
	env     []string // beside ours
}

// run has the program read a text and returns what it writes. It has no terminal to
// ask for a password, and does not outlive us.
func (p program) run(ctx context.Context, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.name, append(p.args, args...)...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdin = strings.NewReader(input)
	var output, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s is not installed: install %s", p.name, p.install)
	case ctx.Err() != nil:
		return "", fmt.Errorf("run %s: %w", p.name, context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("run %s: %w%s", p.name, err, firstLine(complaint.String()))
	}
	return strings.TrimSuffix(output.String(), "\n"), nil
}

// firstLine is what a program complained of, to follow an error.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return ""
	}
	return ": " + line
}

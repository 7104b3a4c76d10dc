package child_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// family is a shell with a child in its group, one in a session of its own,
// and one that has lost its parent as a daemon does. Each writes its pid, and
// the shell writes the guard's, in whatever order.
const family = `
	sh -c 'echo member $$; exec sleep 1000' &
	setsid sh -c 'echo member $$; exec sleep 1000' &
	(setsid sh -c 'echo member $$; exec sleep 1000' & )
	echo member $$
	echo guard $PPID
`

func (s *supervised) family() (members []watched, guard watched) {
	s.t.Helper()
	for range 5 {
		role, pid, _ := strings.Cut(s.line(), " ")
		if role == "guard" {
			guard = s.watch(pid)
		} else {
			members = append(members, s.watch(pid))
		}
	}
	return members, guard
}

// wantGone is for a tree that must be gone already.
func wantGone(t *testing.T, members []watched) {
	t.Helper()
	for _, member := range members {
		if !member.gone(0) {
			t.Errorf("process %d still runs", member.pid)
		}
	}
}

func TestTreeIsGoneWhenRunReturns(t *testing.T) {
	s := shell(t, family+"read line; exit 4")
	members, _ := s.family()
	s.in.Close()
	s.wantCode(4)
	wantGone(t, members)
}

func TestLeftProcessesGetTermThenKill(t *testing.T) {
	s := shell(t, `
		setsid sh -c 'trap "echo term; exit" TERM; echo ready; while :; do sleep 0.02; done' &
		setsid sh -c 'trap "" TERM; echo ready; while :; do sleep 0.02; done' &
		read line; exit 0`, "SUPERVISE_GRACE=300ms")
	s.line()
	s.line()
	s.in.Close()
	if got := s.line(); got != "term" {
		t.Errorf("the command's leftovers wrote %q", got)
	}
	s.wantCode(0)
	s.wantEOF()
}

func TestStoppedLeftProcessesGetTerm(t *testing.T) {
	s := shell(t, `setsid sh -c 'trap "echo term; exit" TERM; echo $$; while :; do sleep 0.02; done' & read line`)
	left := s.pid()
	if err := unix.Kill(left.pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	left.wantState("T")
	s.in.Close()
	if got := s.line(); got != "term" {
		t.Errorf("the stopped process wrote %q", got)
	}
	s.wantCode(1)
}

func TestContextEndsTheTree(t *testing.T) {
	s := shell(t, "trap 'echo term' TERM;"+family+"while :; do sleep 0.02; done", "SUPERVISE_CANCEL_GRACE=300ms")
	members, _ := s.family()
	s.signal(unix.SIGPWR)
	if got := s.line(); got != "term" {
		t.Errorf("the command wrote %q", got)
	}
	s.wantCode(137)
	wantGone(t, members)
}

func TestKilledSupervisorTakesTheTreeAlong(t *testing.T) {
	s := shell(t, "trap '' TERM HUP;"+family+"while :; do sleep 0.02; done")
	members, _ := s.family()
	s.signal(unix.SIGKILL)
	for _, member := range members {
		if !member.gone(patience) {
			t.Errorf("process %d still runs", member.pid)
		}
	}
}

func TestKeptFilesAreClosedAfterTheTree(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	s := start(t, []string{"SUPERVISE_KEEP=1"}, []*os.File{writer}, "sh", "-c", family+"while :; do sleep 0.02; done")
	writer.Close()
	members, _ := s.family()
	s.signal(unix.SIGKILL)
	if _, err := reader.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read from a kept pipe: %v", err)
	}
	wantGone(t, members)
}

func TestKilledGuardTakesTheTreeAlong(t *testing.T) {
	s := shell(t, "trap '' TERM HUP;"+family+"while :; do sleep 0.02; done")
	members, guard := s.family()
	if err := unix.Kill(guard.pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wantCode(99)
	wantGone(t, members)
}

// grow is a script that starts scripts that start scripts.
const grow = `
	trap "" TERM
	[ "$1" = 0 ] && exec sleep 1000
	while :; do setsid sh "$0" $(($1 - 1)) & sleep 0.05; done
`

func TestGrowingTreeIsGone(t *testing.T) {
	script := filepath.Join(t.TempDir(), "grow.sh")
	if err := os.WriteFile(script, []byte(grow), 0o600); err != nil {
		t.Fatal(err)
	}
	s := shell(t, `sh "$SCRIPT" 2 & echo; read line`, "SUPERVISE_GRACE=200ms", "SCRIPT="+script)
	s.line()
	s.in.Close()
	s.wantCode(1)
	s.wantEOF()
}

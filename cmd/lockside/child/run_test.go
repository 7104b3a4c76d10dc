package child_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestExitCode(t *testing.T) {
	for script, want := range map[string]int{
		"exit 0":        0,
		"exit 3":        3,
		"exit 255":      255,
		"kill -KILL $$": 137,
		"kill -TERM $$": 143,
		"kill -INT $$":  130,
	} {
		t.Run(script, func(t *testing.T) { shell(t, script).wantCode(want) })
	}
}

func TestWhatCannotBeExecuted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]int{
		"no-such-command-anywhere":    127,
		filepath.Join(dir, "absent"):  127,
		dir:                           126,
		write("plain", "text", 0o644): 126,
		write("lost", "#!/no/such/interpreter\n", 0o755): 127,
		write("script", "exit 5\n", 0o755):               5, // as execvp(3): to the shell
		write("good", "#!/bin/sh\nexit \"$1\"\n", 0o755): 6,
	} {
		t.Run(filepath.Base(path), func(t *testing.T) { start(t, nil, nil, path, "6").wantCode(want) })
	}
}

func TestInputAndInheritedFiles(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	s := start(t, nil, []*os.File{writer}, "sh", "-c", "cat; echo other >&3")
	writer.Close()
	if _, err := io.WriteString(s.in, "first\n"); err != nil {
		t.Fatal(err)
	}
	s.in.Close()
	if got := s.line(); got != "first" {
		t.Errorf("the command read %q", got)
	}
	s.wantCode(0)
	if got, err := io.ReadAll(reader); string(got) != "other\n" {
		t.Errorf("descriptor 3 brought %q, %v", got, err)
	}
}

func TestCommandGetsNoFileOfOurs(t *testing.T) {
	want, err := exec.Command("ls", "/proc/self/fd").Output()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	s := start(t, []string{"SUPERVISE_KEEP=1"}, []*os.File{kept}, "ls", "/proc/self/fd")
	s.wantCode(0)
	if got, err := io.ReadAll(s.out); string(got) != string(want) {
		t.Errorf("the command has the descriptors %q, %v, want %q", got, err, want)
	}
}

func TestProcessGroup(t *testing.T) {
	s := shell(t, `cut -d" " -f5 </proc/$$/stat; cut -d" " -f5 </proc/$PPID/stat; echo $$; echo $PPID; cat /proc/$PPID/comm`)
	group, guardGroup, pid, guard := s.line(), s.line(), s.line(), s.line()
	if group != pid || guardGroup != guard {
		t.Errorf("command %s in group %s, guard %s in group %s", pid, group, guard, guardGroup)
	}
	if comm := s.line(); strings.Contains(comm, "lockside") {
		t.Errorf("pkill lockside meets the guard: %s", comm)
	}
	s.wantCode(0)
}

func TestSignalsArePassedOnToTheGroup(t *testing.T) {
	s := shell(t, `trap 'echo usr1' USR1; trap 'echo term; exit 7' TERM
		sh -c 'trap "" USR1; trap "echo inner; exit" TERM; echo inner-ready; while :; do sleep 0.02; done' &
		echo ready; while :; do sleep 0.02; done`)
	for range 2 {
		s.line()
	}
	s.signal(unix.SIGUSR1)
	if got := s.line(); got != "usr1" {
		t.Errorf("after USR1 the command wrote %q", got)
	}
	s.signal(unix.SIGTERM)
	got := []string{s.line(), s.line()}
	if text := strings.Join(got, " "); text != "term inner" && text != "inner term" {
		t.Errorf("after TERM the group wrote %q", text)
	}
	s.wantCode(7)
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$@"`, "sh", "/proc/self/exe", "supervise", "sh", "-c", "kill -HUP $$; echo alive")
	cmd.Args[4], _ = os.Executable()
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "alive\n" {
		t.Errorf("a command under nohup wrote %q, %v", out, err)
	}
}

func TestStoppedByHandStaysStopped(t *testing.T) {
	s := shell(t, `echo $$; read line; echo "$line"`)
	command := s.pid()
	if err := unix.Kill(command.pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	command.wantState("T")
	s.signal(unix.SIGCONT) // is passed on
	if _, err := io.WriteString(s.in, "again\n"); err != nil {
		t.Fatal(err)
	}
	if got := s.line(); got != "again" {
		t.Errorf("the command wrote %q", got)
	}
	s.wantCode(0)
}

package handover_test

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/daemon/handover"
)

// TestMain is also the two programs of the tests: the one that hands over, and the one
// that takes its place.
func TestMain(m *testing.M) {
	switch os.Getenv("HANDOVER_TEST") {
	case "give":
		give()
	case "take":
		take()
	default:
		os.Exit(m.Run())
	}
}

// give hands over its standard input under a number of its own, after an attempt that
// fails.
func give() {
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 20)
	check(err)
	text := []byte(strconv.Itoa(os.Getpid()) + " " + strconv.Itoa(fd))
	if err := handover.Exec("/nowhere/lockside", os.Args, os.Environ(), text, []int{fd}); err == nil {
		check(fs.ErrExist)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	check(err)
	if flags&unix.FD_CLOEXEC == 0 {
		check(os.ErrInvalid)
	}
	check(os.Setenv("HANDOVER_TEST", "take"))
	check(handover.Exec("/proc/self/exe", os.Args, os.Environ(), text, []int{fd}))
}

// take answers on what it was left.
func take() {
	text, err := handover.Take()
	check(err)
	again, err := handover.Take()
	check(err)
	if again != nil {
		check(fs.ErrExist)
	}
	pid, number, _ := strings.Cut(string(text), " ")
	if pid != strconv.Itoa(os.Getpid()) {
		check(os.ErrProcessDone)
	}
	fd, err := strconv.Atoi(number)
	check(err)
	file, err := handover.File(fd, "connection")
	check(err)
	_, err = file.WriteString("taken\n")
	check(err)
}

func check(err error) {
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

// TestExec: the next program of the process has the text and the descriptors, a failed
// attempt changes nothing, and the other end reads end-of-file once it has ended.
func TestExec(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	file, err := server.File()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "HANDOVER_TEST=give")
	cmd.Stdin, cmd.Stderr = file, t.Output()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	server.Close()
	var got [100]byte
	n, err := client.Read(got[:])
	if string(got[:n]) != "taken\n" {
		t.Errorf("the client reads %q, %v", got[:n], err)
	}
	if n, err := client.Read(got[:]); n > 0 || err == nil {
		t.Errorf("and then %q", got[:n])
	}
}

// TestTakeNothing: a program that was started anew, or whose descriptor is gone.
func TestTakeNothing(t *testing.T) {
	if text, err := handover.Take(); text != nil || err != nil {
		t.Errorf("took %q, %v", text, err)
	}
	for _, fd := range []string{"9999", "x", ""} {
		t.Setenv("LOCKSIDE_HANDOVER", fd)
		if text, err := handover.Take(); err == nil {
			t.Errorf("took %q of descriptor %q", text, fd)
		}
		if _, ok := os.LookupEnv("LOCKSIDE_HANDOVER"); ok {
			t.Error("it would be taken again")
		}
	}
}

package child

import (
	"os"
	"os/signal"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stopJob stops our process group, as ^Z typed at it would, and returns when
// we run again. That is at once if the kernel stops nothing, because no shell
// is there that could continue us (an orphaned process group, setpgid(2)).
func stopJob() { raise(unix.SIGTSTP, true) }

// Interrupt ends this process by SIGINT, so that a shell which runs a script
// or a loop sees that ^C ended the command, and stops too. With group set the
// rest of our process group gets the signal as well, which it would have had
// from the terminal if the command had not borrowed it.
func Interrupt(group bool) { raise(unix.SIGINT, group) }

// raise lets a signal have its default effect on us, after it was sent to the
// others of our process group if group is set.
//
// For us it goes to this very thread: that is acted on before the call
// returns, where one sent to the process might be taken by another thread
// while this one runs on.
func raise(sig unix.Signal, group bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if group {
		signal.Ignore(sig)
		_ = unix.Kill(0, sig)
	}
	setDefault(sig)
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
}

// setDefault gives a signal back to the kernel. What signal.Reset leaves behind
// is not the default for the signals of job control: a process that once had
// SIGTSTP caught would never stop again. All zero is SIG_DFL, without flags,
// in the struct sigaction of every architecture; see rt_sigaction(2).
func setDefault(sig unix.Signal) {
	signal.Ignore(sig) // Now os/signal installs its own again when asked to.
	var action [64]byte
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}

package kit

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// precise makes the kernel wake this thread on time: by default it may do so 50 µs later
// (prctl(2), PR_SET_TIMERSLACK).
func precise() {
	// A kernel that refuses it wakes the thread a little later, which the lateness shows.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// pauseFor returns after d, or earlier because of a signal. Go's own timers wake a thread with the
// resolution of epoll_wait, a millisecond (runtime/netpoll_epoll.go).
func pauseFor(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	if err := unix.Nanosleep(&ts, nil); err != nil && !errors.Is(err, unix.EINTR) {
		time.Sleep(d)
	}
}

// Tie makes the kernel send SIGTERM to a child when this program ends for any reason. The child
// stays in the program's process group, so that a caller that kills the group also ends the child.
func Tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

package child

import (
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"h2lab/internal/base/proc"
)

// endsWithUs makes the kernel send a child SIGTERM when h2lab ends.
func endsWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }

// awaitEnd returns when a child has ended, without reading its status. It returns false when the
// wait failed.
func awaitEnd(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return err == nil
		}
	}
}

var lasting struct {
	once sync.Once
	jobs chan func()
}

// onLastingThread runs f on a thread that lives as long as the process. Two things depend on the
// thread that forks: the kernel sends PR_SET_PDEATHSIG when that thread ends, not the process
// (prctl(2)), and with cgroup v1 a child starts in the cgroup of that thread.
func onLastingThread(f func()) {
	lasting.once.Do(func() {
		lasting.jobs = make(chan func())
		go func() {
			runtime.LockOSThread() // and never unlocked
			for job := range lasting.jobs {
				job()
			}
		}()
	})
	done := make(chan struct{})
	lasting.jobs <- func() { defer close(done); f() }
	<-done
}

// running reports whether the pid is the child's and it hasn't ended.
func (c *Child) running() bool { return proc.Same(c.PID, c.Started) }

package child

import (
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes are how the kernel is to start a child.
func attributes(spec Spec) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Chroot: spec.Chroot}
	switch {
	case spec.Outlives:
		a.Setsid = true
	case !spec.Foreground:
		a.Setpgid = true
	}
	if spec.EndsWithUs {
		a.Pdeathsig = syscall.SIGTERM
	}
	return a
}

// awaitEnd returns when a child has ended, without taking its status. It
// reports whether it could tell.
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

// onLastingThread runs f on one thread that ends with the process. Two things
// hang on the thread that forks: PR_SET_PDEATHSIG reaches a child when that
// thread ends, not the process (prctl(2)), and in cgroups of version 1 a child
// begins in the cgroup of that thread.
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

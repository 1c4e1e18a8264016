//go:build unix && !linux

package child

import "syscall"

// attributes: see the Linux version. Elsewhere nothing ends a child with its parent.
func attributes(spec Spec) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Chroot: spec.Chroot}
	switch {
	case spec.Outlives:
		a.Setsid = true
	case !spec.Foreground:
		a.Setpgid = true
	}
	return a
}

// awaitEnd: elsewhere an end is known only when its status is taken, and what
// is left of the group by then is left alone.
func awaitEnd(int) bool { return false }

func onLastingThread(f func()) { f() }

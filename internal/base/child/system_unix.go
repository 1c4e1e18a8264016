//go:build unix

package child

import (
	"fmt"
	"os"
	"syscall"
)

// attributes are the kernel's settings for a new child.
func attributes(spec Spec) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: spec.Outlives, Setpgid: !spec.Outlives && !spec.Foreground}
	if spec.EndsWithUs {
		endsWithUs(a)
	}
	return a
}

// family is a child and all that it started and that stayed in its process group.
type family struct{ leader int }

func familyOf(p *os.Process) family { return family{p.Pid} }

// signal sends sig to the child alone. The error ESRCH means that it has just ended.
func (f family) signal(sig syscall.Signal) { _ = syscall.Kill(f.leader, sig) }

// signalAll sends sig to the whole group.
func (f family) signalAll(sig syscall.Signal) { _ = syscall.Kill(-f.leader, sig) }

func killByHand(pid int) string { return fmt.Sprintf("sudo kill -9 -- -%d", pid) }

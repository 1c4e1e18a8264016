//go:build unix

package child

import (
	"fmt"
	"os"
	"syscall"
)

// family is a child and all that it started and that stayed in its process group.
type family struct{ leader int }

func familyOf(p *os.Process, _ Spec) family { return family{p.Pid} }

// signal sends sig to the child alone. The error ESRCH means that it has just ended.
func (f family) signal(sig syscall.Signal) { _ = syscall.Kill(f.leader, sig) }

// signalAll sends sig to the whole group.
func (f family) signalAll(sig syscall.Signal) { _ = syscall.Kill(-f.leader, sig) }

func (family) release() {}

func killByHand(pid int) string { return fmt.Sprintf("sudo kill -9 -- -%d", pid) }

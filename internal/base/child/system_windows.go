package child

import (
	"fmt"
	"os"
	"syscall"
)

// Windows runs only short programs that print a version (doctor, pin): servers and clients run on Linux there, in the lab
// container or WSL 2 (docs/platforms.md).

func attributes(Spec) *syscall.SysProcAttr { return nil }

// family is a child alone.
type family struct{ process *os.Process }

func familyOf(p *os.Process) family { return family{p} }

// signal kills: Windows has no signals.
func (f family) signal(syscall.Signal) { _ = f.process.Kill() }

func (f family) signalAll(sig syscall.Signal) { f.signal(sig) }

func killByHand(pid int) string { return fmt.Sprintf("taskkill /F /T /PID %d", pid) }

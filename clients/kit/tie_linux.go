package kit

import (
	"os/exec"
	"syscall"
)

// Tie makes the kernel ask a child to end (SIGTERM) when this program ends, however that comes
// about. The child stays in the program's process group, so that a conductor
// which ends the group ends it too.
func Tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

package kit

import (
	"os/exec"
	"syscall"
)

// Tie makes the kernel send SIGTERM to a child when this program ends for any reason. The child
// stays in the program's process group, so that a caller that kills the group also ends the child.
func Tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

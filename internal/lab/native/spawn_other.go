//go:build unix && !linux

package native

import (
	"errors"
	"os/exec"
	"syscall"
)

// attributes: see the Linux version. Elsewhere nothing ends a child with its parent.
func attributes(detach bool) *syscall.SysProcAttr {
	if detach {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

func startInV2(*exec.Cmd, string) error { return errors.New("cgroups are Linux's") }

func threadID() int { return 0 }

// chrootTo makes the child see another root directory.
func chrootTo(dir string) *syscall.SysProcAttr { return &syscall.SysProcAttr{Chroot: dir} }

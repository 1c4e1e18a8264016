package native

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes give a child a process group of its own, so that the terminal's
// Ctrl-C reaches only h2lab, which stops the servers in order. A detached one
// gets a session too and outlives us; any other ends with us, however we end.
func attributes(detach bool) *syscall.SysProcAttr {
	if detach {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// startInV2 lets the kernel fork the child into its cgroup (CLONE_INTO_CGROUP).
func startInV2(cmd *exec.Cmd, dir string) error {
	group, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("entering a cgroup: %w", err)
	}
	defer group.Close()
	cmd.SysProcAttr.UseCgroupFD = true
	cmd.SysProcAttr.CgroupFD = int(group.Fd())
	return cmd.Start()
}

func threadID() int { return unix.Gettid() }

// chrootTo makes the child see another root directory.
func chrootTo(dir string) *syscall.SysProcAttr { return &syscall.SysProcAttr{Chroot: dir} }

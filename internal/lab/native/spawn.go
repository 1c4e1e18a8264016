package native

import (
	"fmt"
	"os/exec"
)

// startInside starts a server in a cgroup. It runs on a thread of package child that lives as long
// as h2lab: with cgroup v1 a child starts in the cgroup of the thread that forks it.
func startInside(cmd *exec.Cmd, h hierarchy, dir string) error {
	switch g := h.(type) {
	case *cgroupV2:
		return startInV2(cmd, dir)
	case *cgroupV1:
		thread := threadID()
		if err := g.enter(dir, thread); err != nil {
			return err
		}
		started := cmd.Start()
		if err := g.leave(thread); err != nil {
			if started == nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			return err
		}
		return started
	default:
		return fmt.Errorf("can't start a process in cgroups of type %T", h)
	}
}

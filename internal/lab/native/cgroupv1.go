package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// cgroupV1 is the hierarchy of the cpu controller of version 1.
type cgroupV1 struct {
	home string // the cgroup of this process
}

// findV1 looks for the cpu controller where version 1 is mounted, alone or with cpuacct. own is the
// content of /proc/self/cgroup. It returns nil when there is none.
func findV1(mount, own string) hierarchy {
	for _, name := range []string{"cpu", "cpu,cpuacct", "cpuacct,cpu"} {
		dir := filepath.Join(mount, name)
		if _, err := os.Stat(filepath.Join(dir, "tasks")); err != nil {
			continue
		}
		// In a container without a cgroup namespace the path is the host's, and the mount is this
		// process's cgroup.
		home := filepath.Join(dir, ownPathV1(own))
		if _, err := os.Stat(filepath.Join(home, "tasks")); err != nil {
			home = dir
		}
		return &cgroupV1{home: home}
	}
	return nil
}

// ownPathV1 is the path in the line "N:cpu,…:PATH".
func ownPathV1(own string) string {
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), "cpu") {
			return parts[2]
		}
	}
	return "/"
}

func (c *cgroupV1) base() string { return c.home }

func (c *cgroupV1) limit(dir string, cpus float64) error {
	if err := writeLine(filepath.Join(dir, "cpu.cfs_period_us"), strconv.Itoa(periodUS)); err != nil {
		return err
	}
	return writeLine(filepath.Join(dir, "cpu.cfs_quota_us"), quota(cpus))
}

func (c *cgroupV1) cpus(dir string) (*float64, error) {
	q, err := readLine(filepath.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return nil, err
	}
	p, err := readLine(filepath.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return nil, err
	}
	return ratio(q, p)
}

// enter moves one of h2lab's threads into a cgroup. Version 1 manages threads separately, and a
// child starts in the cgroup of the thread that forked it: so a server and everything it forks is
// inside from the first instruction.
func (c *cgroupV1) enter(dir string, thread int) error {
	if err := writeLine(filepath.Join(dir, "tasks"), strconv.Itoa(thread)); err != nil {
		return fmt.Errorf("entering a cgroup: %w", err)
	}
	return nil
}

// leave moves the thread back to the cgroup of the process.
func (c *cgroupV1) leave(thread int) error {
	if err := writeLine(filepath.Join(c.home, "tasks"), strconv.Itoa(thread)); err != nil {
		return fmt.Errorf("leaving a cgroup: %w", err)
	}
	return nil
}

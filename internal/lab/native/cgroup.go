package native

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"h2lab/internal/base/proc"
)

// cgroupMount is where every distribution mounts the cgroup file systems.
const cgroupMount = "/sys/fs/cgroup"

// periodUS is the period of a quota: 100 ms, the kernel's default and Docker's for `cpus`.
const periodUS = 100000

// minCPUs is a quota of 1 ms, the smallest that the kernel accepts.
const minCPUs = 0.01

// hierarchy is one version of cgroups, below a directory where h2lab may create groups.
type hierarchy interface {
	base() string
	// limit sets a group's CPU limit.
	limit(dir string, cpus float64) error
	// cpus reads it back; nil is no limit.
	cpus(dir string) (*float64, error)
}

// budget makes and removes the cgroups of one run: BASE/h2lab-PID/SERVER.
type budget struct {
	hierarchy
	dir   string
	rmdir func(string) error // os.Remove, except in tests on a plain file system
}

// groupPrefix is the prefix of a run's cgroup; the run's pid follows.
const groupPrefix = "h2lab-"

// openBudget finds the hierarchy with the cpu controller, removes the cgroups of dead runs, and
// makes this run's cgroup. Its error says why h2lab can't limit CPU here.
func openBudget(mount, selfCgroup string, pid int) (*budget, error) {
	h, err := findHierarchy(mount, selfCgroup)
	if err != nil {
		return nil, err
	}
	b := &budget{hierarchy: h, dir: filepath.Join(h.base(), groupPrefix+strconv.Itoa(pid)), rmdir: os.Remove}
	b.clearLeftovers()
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a cgroup: %w", err)
	}
	if v2, ok := h.(*cgroupV2); ok {
		if err := v2.delegate(b.dir); err != nil {
			return nil, errors.Join(err, b.remove([]string{b.dir}))
		}
	}
	return b, nil
}

// findHierarchy prefers version 2, and uses version 1 where the cpu controller is mounted there.
func findHierarchy(mount, selfCgroup string) (hierarchy, error) {
	own, err := os.ReadFile(selfCgroup)
	if err != nil {
		return nil, fmt.Errorf("no cgroups on this machine: %w", err)
	}
	if h, err := findV2(mount, string(own)); h != nil || err != nil {
		return h, err
	}
	if h := findV1(mount, string(own)); h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("no cgroup hierarchy with the cpu controller below %s", mount)
}

// group makes a server's cgroup with its CPU limit.
func (b *budget) group(server string, cpus float64) (dir string, err error) {
	if cpus < minCPUs {
		return "", fmt.Errorf("cpus %v: the kernel accepts no less than %v", cpus, minCPUs)
	}
	dir = filepath.Join(b.dir, server)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a cgroup: %w", err)
	}
	if err := b.limit(dir, cpus); err != nil {
		return "", errors.Join(fmt.Errorf("setting the budget of %s: %w", server, err), b.rmdir(dir))
	}
	return dir, nil
}

// removeTimeout is for processes that have been waited for, but that the kernel still counts in
// their cgroup for a moment.
const removeTimeout = 3 * time.Second

// remove removes cgroups in the order given, the run's own last.
func (b *budget) remove(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, removeGroup(dir, b.rmdir))
	}
	return errors.Join(errs...)
}

// removeGroup removes one cgroup, waiting for it to be empty.
func removeGroup(dir string, rmdir func(string) error) error {
	deadline := time.Now().Add(removeTimeout)
	for {
		err := rmdir(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(deadline) {
			return fmt.Errorf("removing a cgroup: %w; its processes: cat %s", err,
				filepath.Join(dir, "cgroup.procs"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// clearLeftovers removes the cgroups of runs whose h2lab has ended. A cgroup with processes
// (servers that `h2lab up` left running) can't be removed, so it stays.
func (b *budget) clearLeftovers() {
	entries, err := os.ReadDir(b.base())
	if err != nil {
		return
	}
	for _, e := range entries {
		n, ours := strings.CutPrefix(e.Name(), groupPrefix)
		pid, err := strconv.Atoi(n)
		if !ours || err != nil {
			continue
		}
		if _, err := proc.StartTime(pid); err == nil {
			continue
		}
		dir := filepath.Join(b.base(), e.Name())
		servers, _ := os.ReadDir(dir)
		for _, s := range servers {
			if s.IsDir() {
				_ = b.rmdir(filepath.Join(dir, s.Name()))
			}
		}
		_ = b.rmdir(dir)
	}
}

// quota is a CPU limit in microseconds of processor time a period.
func quota(cpus float64) string { return strconv.Itoa(int(math.Round(cpus * periodUS))) }

// ratio parses quota and period; "max" and -1 are no limit.
func ratio(quota, period string) (*float64, error) {
	if quota == "max" || quota == "-1" {
		return nil, nil
	}
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil {
		return nil, fmt.Errorf("quota %q: %w", quota, err)
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || p <= 0 {
		return nil, fmt.Errorf("period %q is not a number of microseconds", period)
	}
	cpus := q / p
	return &cpus, nil
}

// readLine reads a file of one line.
func readLine(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

// writeLine writes a file of the cgroup file system, which accepts one write at a time.
func writeLine(path, line string) error { return os.WriteFile(path, []byte(line), 0o644) }

// members are the processes in a cgroup.
func members(dir string) (map[int]bool, error) {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	in := map[int]bool{}
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil {
			in[pid] = true
		}
	}
	return in, nil
}

// Throttling is how often the CPU limit stopped a server since its start, from the kernel's
// cpu.stat.
type Throttling struct {
	Periods   int64 // nr_periods: periods in which it wanted to run
	Throttled int64 // nr_throttled: those in which the limit stopped it
}

// readThrottling reads fields that have the same names in both versions of cgroups.
func readThrottling(dir string) (Throttling, error) {
	b, err := os.ReadFile(filepath.Join(dir, "cpu.stat"))
	if err != nil {
		return Throttling{}, err
	}
	var t Throttling
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "nr_periods":
			t.Periods = n
		case "nr_throttled":
			t.Throttled = n
		}
	}
	return t, nil
}

// cgroupV2 is the unified hierarchy.
type cgroupV2 struct {
	place string // the cgroup below which h2lab creates groups
}

// findV2 looks for a version 2 cgroup below which h2lab can create groups: the root, which the
// superuser may write, else the ancestors of its own cgroup, nearest first, one of which systemd
// delegates to a user. It returns nil when version 2 has no cpu controller here; its error says why
// no group can be created.
func findV2(mount, own string) (hierarchy, error) {
	if !lists(filepath.Join(mount, "cgroup.controllers"), "cpu") {
		return nil, nil
	}
	places := []string{mount}
	for dir := filepath.Dir(filepath.Join("/", ownPathV2(own))); dir != "/"; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(mount, dir))
	}
	var first error
	for _, place := range places {
		err := usableV2(place)
		if err == nil {
			return &cgroupV2{place: place}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// ownPathV2 is the path in the line "0::PATH".
func ownPathV2(own string) string {
	for line := range strings.Lines(own) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path
		}
	}
	return "/"
}

// usableV2 checks that h2lab can create cgroups with the cpu controller below dir and move
// processes into them, which requires write access to cgroup.procs of the common ancestor
// (cgroup-v2.rst, "Delegation Containment").
func usableV2(dir string) error {
	for _, path := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
		if err := mayWrite(path); err != nil {
			return fmt.Errorf("writing to %s: %w", path, err)
		}
	}
	return (&cgroupV2{place: dir}).delegate(dir)
}

func (c *cgroupV2) base() string { return c.place }

// delegate enables the cpu controller for the children of dir.
func (c *cgroupV2) delegate(dir string) error {
	control := filepath.Join(dir, "cgroup.subtree_control")
	if lists(control, "cpu") {
		return nil
	}
	if err := writeLine(control, "+cpu"); err != nil {
		return fmt.Errorf("giving the cpu controller to the cgroups in %s: %w", dir, err)
	}
	return nil
}

func (c *cgroupV2) limit(dir string, cpus float64) error {
	return writeLine(filepath.Join(dir, "cpu.max"), quota(cpus)+" "+strconv.Itoa(periodUS))
}

func (c *cgroupV2) cpus(dir string) (*float64, error) {
	line, err := readLine(filepath.Join(dir, "cpu.max"))
	if err != nil {
		return nil, err
	}
	q, p, ok := strings.Cut(line, " ")
	if !ok {
		return nil, fmt.Errorf("cpu.max %q does not have two fields", line)
	}
	return ratio(q, p)
}

// lists reports whether the words of a file include the word.
func lists(path, word string) bool {
	b, err := os.ReadFile(path)
	return err == nil && slices.Contains(strings.Fields(string(b)), word)
}

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

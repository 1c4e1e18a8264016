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
type hierarchy struct {
	place string // the directory
	v2    bool
}

// budget makes and removes the cgroups of one run: PLACE/h2lab-PID/SERVER.
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
	b := &budget{hierarchy: h, dir: filepath.Join(h.place, groupPrefix+strconv.Itoa(pid)), rmdir: os.Remove}
	b.clearLeftovers()
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a cgroup: %w", err)
	}
	if h.v2 {
		if err := delegate(b.dir); err != nil {
			return nil, errors.Join(err, b.remove([]string{b.dir}))
		}
	}
	return b, nil
}

// findHierarchy prefers version 2, and uses version 1 where the cpu controller is mounted there.
func findHierarchy(mount, selfCgroup string) (h hierarchy, err error) {
	own, err := os.ReadFile(selfCgroup)
	if err != nil {
		return h, fmt.Errorf("no cgroups on this machine: %w", err)
	}
	if lists(filepath.Join(mount, "cgroup.controllers"), "cpu") {
		h.v2 = true
		h.place, err = findV2(mount, string(own))
		return h, err
	}
	if h.place = findV1(mount, string(own)); h.place == "" {
		err = fmt.Errorf("no cgroup hierarchy with the cpu controller below %s", mount)
	}
	return h, err
}

// group makes a server's cgroup with its CPU limit.
func (b *budget) group(server string, cpus float64) (dir string, err error) {
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
	entries, err := os.ReadDir(b.place)
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
		dir := filepath.Join(b.place, e.Name())
		servers, _ := os.ReadDir(dir)
		for _, s := range servers {
			if s.IsDir() {
				_ = b.rmdir(filepath.Join(dir, s.Name()))
			}
		}
		_ = b.rmdir(dir)
	}
}

// limit sets a group's CPU limit, in microseconds of processor time a period.
func (h hierarchy) limit(dir string, cpus float64) error {
	quota, period := strconv.Itoa(int(math.Round(cpus*periodUS))), strconv.Itoa(periodUS)
	if h.v2 {
		return writeLine(filepath.Join(dir, "cpu.max"), quota+" "+period)
	}
	return errors.Join(writeLine(filepath.Join(dir, "cpu.cfs_period_us"), period),
		writeLine(filepath.Join(dir, "cpu.cfs_quota_us"), quota))
}

// cpus reads a group's limit back; nil is no limit.
func (h hierarchy) cpus(dir string) (*float64, error) {
	files := []string{"cpu.cfs_quota_us", "cpu.cfs_period_us"}
	if h.v2 {
		files = []string{"cpu.max"}
	}
	var words []string
	for _, file := range files {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		words = append(words, strings.Fields(string(b))...)
	}
	return ratio(words)
}

// ratio parses quota and period; "max" and -1 are no limit.
func ratio(words []string) (*float64, error) {
	if len(words) == 2 && (words[0] == "max" || words[0] == "-1") {
		return nil, nil
	}
	var n [2]float64
	if _, err := fmt.Sscan(strings.Join(words, " "), &n[0], &n[1]); err != nil || n[1] <= 0 {
		return nil, fmt.Errorf("%q is no quota and period in microseconds", words)
	}
	return new(n[0] / n[1]), nil
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

// findV2 looks for a version 2 cgroup below which h2lab can create groups: the root, which the
// superuser may write, else the ancestors of its own cgroup, nearest first, one of which systemd
// delegates to a user. Its error says why no group can be created.
func findV2(mount, own string) (string, error) {
	places := []string{mount}
	for dir := filepath.Dir(filepath.Join("/", ownPath(own, ""))); dir != "/"; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(mount, dir))
	}
	var first error
	for _, place := range places {
		err := usableV2(place)
		if err == nil {
			return place, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}

// ownPath is this process's path in /proc/self/cgroup, whose lines are N:CONTROLLERS:PATH; version 2 has no controllers.
func ownPath(own, controller string) string {
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2]
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
	return delegate(dir)
}

// delegate enables the cpu controller for the children of dir.
func delegate(dir string) error {
	control := filepath.Join(dir, "cgroup.subtree_control")
	if lists(control, "cpu") {
		return nil
	}
	if err := writeLine(control, "+cpu"); err != nil {
		return fmt.Errorf("giving the cpu controller to the cgroups in %s: %w", dir, err)
	}
	return nil
}

// lists reports whether the words of a file include the word.
func lists(path, word string) bool {
	b, err := os.ReadFile(path)
	return err == nil && slices.Contains(strings.Fields(string(b)), word)
}

// findV1 looks for the cpu controller where version 1 is mounted, alone or with cpuacct. own is the
// content of /proc/self/cgroup. It is empty when there is none.
func findV1(mount, own string) string {
	for _, name := range []string{"cpu", "cpu,cpuacct", "cpuacct,cpu"} {
		dir := filepath.Join(mount, name)
		if _, err := os.Stat(filepath.Join(dir, "tasks")); err != nil {
			continue
		}
		// In a container without a cgroup namespace the path is the host's, and the mount is this
		// process's cgroup.
		home := filepath.Join(dir, ownPath(own, "cpu"))
		if _, err := os.Stat(filepath.Join(home, "tasks")); err != nil {
			home = dir
		}
		return home
	}
	return ""
}

// move puts one of h2lab's threads into a cgroup of version 1, which manages threads separately. A child starts in
// the cgroup of the thread that forked it: so a server and everything it forks is inside from the first instruction.
func move(dir string, thread int) error {
	if err := writeLine(filepath.Join(dir, "tasks"), strconv.Itoa(thread)); err != nil {
		return fmt.Errorf("entering a cgroup: %w", err)
	}
	return nil
}

// startInside starts a server in a cgroup. It runs on a thread of package child that lives as long
// as h2lab.
func (h hierarchy) startInside(cmd *exec.Cmd, dir string) error {
	if h.v2 {
		return startInV2(cmd, dir)
	}
	thread := threadID()
	if err := move(dir, thread); err != nil {
		return err
	}
	started := cmd.Start()
	if err := move(h.place, thread); err != nil {
		if started == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		return err
	}
	return started
}

// Package proc reads process data from the kernel: the owner of a port, the children of a process,
// the processor time and memory they used, their limits, and the machine.
//
// The lab uses it to find the owner of a port, to check that a saved pid is still the same process,
// and to read the processor time of a trial. The package only reads; it makes no judgements and
// ends no process.
//
// All data comes from /proc. On systems without /proc the package compiles and returns "not known"
// (ok is false, or an error).
package proc

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// stat reads a living process, or a zombie; what is asked names it in an error.
func stat(pid int, what string) (procfs.ProcStat, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, fmt.Errorf("%s%d: %w", what, pid, err)
	}
	s, err := p.Stat()
	if err != nil {
		err = fmt.Errorf("%s%d: %w", what, pid, err)
	}
	return s, err
}

// StartTime is when a living process started, in clock ticks since boot (field 22 of proc(5) stat).
// A pid with its start time and BootID identifies one process: a later process with the same pid
// has another start time.
func StartTime(pid int) (uint64, error) {
	s, err := stat(pid, "process ")
	if err == nil && ended(s) {
		err = fmt.Errorf("process %d has ended: %w", pid, os.ErrProcessDone)
	}
	return s.Starttime, err
}

// Same reports whether pid is alive and has that start time.
func Same(pid int, started uint64) bool {
	now, err := StartTime(pid)
	return err == nil && now == started
}

// BootID changes with every boot, so that start times of different boots are not compared; empty
// where unknown.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Living maps the pid of every living process to its parent's.
func Living() map[int]int {
	out := map[int]int{}
	for _, s := range stats() {
		out[s.PID] = s.PPID
	}
	return out
}

// Tree is a process and all its current descendants, in ascending order of pid. It is empty when
// the process has ended; a zombie has ended.
func Tree(pid int) []int {
	children, living := map[int][]int{}, Living()
	for child, parent := range living {
		children[parent] = append(children[parent], child)
	}
	if _, lives := living[pid]; !lives {
		return nil
	}
	tree := []int{pid}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	slices.Sort(tree)
	return tree
}

// Group is every living process of a process group.
func Group(pgid int) []int {
	var out []int
	for _, s := range stats() {
		if s.PGRP == pgid {
			out = append(out, s.PID)
		}
	}
	slices.Sort(out)
	return out
}

// stats reads every process except zombies; it omits those that end meanwhile.
func stats() []procfs.ProcStat {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	var out []procfs.ProcStat
	for _, p := range all {
		if s, err := p.Stat(); err == nil && !ended(s) {
			out = append(out, s)
		}
	}
	return out
}

// ended reports whether a process is a zombie or dead, by the state in proc(5). A zombie whose other
// threads are still ending keeps its files and ports open until the last of them has ended.
func ended(s procfs.ProcStat) bool { return (s.State == "Z" || s.State == "X") && s.NumThreads <= 1 }

// bytesPerMB is a megabyte in SI; names here end in MB for it.
const bytesPerMB = 1e6

// CPUSeconds is the processor time, user and system, that these processes and their threads have
// used so far. The kernel counts in ticks of 10 ms. A process that has ended is an error, since its
// time is lost.
func CPUSeconds(pids ...int) (float64, error) {
	var sum float64
	for _, pid := range pids {
		s, err := stat(pid, "processor time of process ")
		if err != nil {
			return 0, err
		}
		sum += s.CPUTime()
	}
	return sum, nil
}

// MachineBusySeconds is the time since boot that all processors together were not idle: everything
// in the first line of /proc/stat but idle, iowait and steal; user already includes guest time.
func MachineBusySeconds() (float64, error) {
	c, err := machineCPU()
	return c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ, err
}

// StolenSeconds is the time since boot in which a process was ready to run and the hypervisor ran
// another guest (steal in proc(5)).
func StolenSeconds() (float64, error) {
	c, err := machineCPU()
	return c.Steal, err
}

func machineCPU() (procfs.CPUStat, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return procfs.CPUStat{}, fmt.Errorf("processor time of the machine: %w", err)
	}
	s, err := fs.Stat()
	if err != nil {
		return procfs.CPUStat{}, fmt.Errorf("processor time of the machine: %w", err)
	}
	return s.CPUTotal, nil
}

// MaxRSSMB is the largest resident size that a process has had (VmHWM), in MB of 10^6 bytes.
func MaxRSSMB(pid int) (float64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	s, err := p.NewStatus()
	if err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	if s.VmHWM == 0 {
		return 0, fmt.Errorf("memory of process %d: no VmHWM in its status", pid)
	}
	return float64(s.VmHWM) / bytesPerMB, nil
}

// deletedMark follows the name of a deleted file or directory (proc(5)).
const deletedMark = " (deleted)"

// Cwd is a process's working directory, empty where it can't be read. there reports whether the
// directory still exists.
func Cwd(pid int) (dir string, there bool) {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return "", false
	}
	dir, gone := strings.CutSuffix(dir, deletedMark)
	return dir, !gone
}

// SameNetwork reports whether a process shares this process's network namespace, and therefore its
// ports.
func SameNetwork(pid int) bool {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return false
	}
	its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	return err == nil && own == its
}

// SameRoot reports whether a process has this process's root directory. The paths of one that hasn't, such as
// Cwd, begin at another directory, as in a container (path_resolution(7)).
func SameRoot(pid int) bool {
	own, err := os.Stat("/")
	if err != nil {
		return false
	}
	its, err := os.Stat(fmt.Sprintf("/proc/%d/root/", pid))
	return err == nil && os.SameFile(own, its)
}

// Args are a process's arguments, its own name first.
func Args(pid int) []string {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return nil
	}
	args, err := p.CmdLine()
	if err != nil {
		return nil
	}
	return args
}

// HasOpenBelow reports whether a process has a file below dir open, including one that was deleted
// since.
func HasOpenBelow(pid int, dir string) bool {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	targets, err := p.FileDescriptorTargets()
	return err == nil && slices.ContainsFunc(targets, func(t string) bool { return strings.HasPrefix(t, dir+"/") })
}

package proc

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// deletedMark follows the name of a file or directory that is gone (proc(5)).
const deletedMark = " (deleted)"

// Cwd is a process's working directory, empty where it can't be seen. There
// reports whether the directory still exists.
func Cwd(pid int) (dir string, there bool) {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return "", false
	}
	dir, gone := strings.CutSuffix(dir, deletedMark)
	return dir, !gone
}

// SameNetwork reports whether a process shares our network namespace, so that
// its ports are ours.
func SameNetwork(pid int) bool {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return false
	}
	its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	return err == nil && own == its
}

// StartedAt is when a process was started; ok is false when it is gone.
func StartedAt(pid int) (at time.Time, ok bool) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return time.Time{}, false
	}
	s, err := p.Stat()
	if err != nil || ended(s) {
		return time.Time{}, false
	}
	seconds, err := s.StartTime()
	if err != nil {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(seconds * 1000)), true
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

// Living is the parent of every living process, by pid.
func Living() map[int]int {
	out := map[int]int{}
	for _, s := range stats() {
		out[s.PID] = s.PPID
	}
	return out
}

// HasOpenBelow reports whether a process has a file below dir open, one that
// was removed meanwhile included.
func HasOpenBelow(pid int, dir string) bool {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	targets, err := p.FileDescriptorTargets()
	return err == nil && slices.ContainsFunc(targets, func(t string) bool { return strings.HasPrefix(t, dir+"/") })
}

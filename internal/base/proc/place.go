package proc

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

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

// StartedAt is when a process started; ok is false when it has ended.
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

// Living maps the pid of every living process to its parent's.
func Living() map[int]int {
	out := map[int]int{}
	for _, s := range stats() {
		out[s.PID] = s.PPID
	}
	return out
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

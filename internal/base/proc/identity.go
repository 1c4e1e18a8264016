package proc

import (
	"fmt"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// StartTime is when a living process started, in clock ticks since boot (field 22 of proc(5) stat).
// A pid with its start time and BootID identifies one process: a later process with the same pid
// has another start time.
func StartTime(pid int) (uint64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("process %d: %w", pid, err)
	}
	s, err := p.Stat()
	if err != nil {
		return 0, fmt.Errorf("process %d: %w", pid, err)
	}
	if ended(s) {
		return 0, fmt.Errorf("process %d has ended: %w", pid, os.ErrProcessDone)
	}
	return s.Starttime, nil
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

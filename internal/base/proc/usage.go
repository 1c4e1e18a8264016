package proc

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// bytesPerMB is a megabyte in SI; names here end in MB for it.
const bytesPerMB = 1e6

// CPUSeconds is the processor time, user and system, that these processes and their threads have
// used so far. The kernel counts in ticks of 10 ms. A process that has ended is an error, since its
// time is lost.
func CPUSeconds(pids ...int) (float64, error) {
	var sum float64
	for _, pid := range pids {
		p, err := procfs.NewProc(pid)
		if err != nil {
			return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
		}
		s, err := p.Stat()
		if err != nil {
			return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
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

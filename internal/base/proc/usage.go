package proc

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// bytesPerMB is a megabyte in the strict sense (SI), as the names here end in MB.
const bytesPerMB = 1e6

// CPUSeconds is the processor time, user and system, that these processes have
// used so far, threads included. The kernel counts in ticks of 10 ms. One that
// is gone is an error, since its time can't be known any more.
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

// MachineBusySeconds is the time all processors together did not idle since
// boot: everything in the first line of /proc/stat but idle, iowait and steal;
// guest time is already part of user.
func MachineBusySeconds() (float64, error) {
	c, err := machineCPU()
	return c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ, err
}

// StolenSeconds is the time since boot in which something here was ready to
// run and the hypervisor ran somebody else (steal in proc(5)).
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

// MaxRSSMB is the largest resident size a process has had (VmHWM), in MB of 10^6 bytes.
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

package counters

import (
	"os"

	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// CPUMeter reads how much processor time the parts of a cell have used. Functions that are nil read
// /proc.
type CPUMeter struct {
	// Proxy, Backend, Client and Service are the pids of each part (proc.Tree). The time of a process
	// that has ended is lost, so a client is read while it is still waiting for its release.
	Proxy, Backend, Client, Service []int
	// Beside are the processes that h2lab uses beside its own, such as a delay line's.
	Beside []int
	// Seconds and Machine replace proc.CPUSeconds and proc.MachineBusySeconds in tests.
	Seconds func(pids ...int) (float64, error)
	Machine func() (float64, error)
	// Stolen replaces proc.StolenSeconds.
	Stolen func() (float64, error)
}

// CPUReading is processor time used so far, in seconds; nil where unknown.
type CPUReading struct {
	Proxy, Backend, Client, Service, Lab, Machine, Stolen *float64
}

// Read takes a reading.
func (m CPUMeter) Read() CPUReading {
	seconds, machine, stolen := m.Seconds, m.Machine, m.Stolen
	if seconds == nil {
		seconds = proc.CPUSeconds
	}
	if machine == nil {
		machine = proc.MachineBusySeconds
	}
	if stolen == nil {
		stolen = proc.StolenSeconds
	}
	of := func(pids []int) *float64 {
		if len(pids) == 0 {
			return nil
		}
		return known(seconds(pids...))
	}
	return CPUReading{Proxy: of(m.Proxy), Backend: of(m.Backend), Client: of(m.Client),
		Service: of(m.Service), Lab: of(append([]int{os.Getpid()}, m.Beside...)), Machine: known(machine()), Stolen: known(stolen())}
}

// Since is the processor time between an earlier reading and this one. Other is the rest of the
// machine's time. It is unknown when a part is unknown, but not when the part doesn't exist
// (topology direct has no proxy).
func (r CPUReading) Since(earlier CPUReading) facts.CPU {
	cpu := facts.CPU{Proxy: minus(r.Proxy, earlier.Proxy), Backend: minus(r.Backend, earlier.Backend),
		Client:  minus(r.Client, earlier.Client),
		Service: minus(r.Service, earlier.Service),
		Lab:     minus(r.Lab, earlier.Lab),
		Stolen:  minus(r.Stolen, earlier.Stolen)}
	other := minus(r.Machine, earlier.Machine)
	if other == nil {
		return cpu
	}
	for _, part := range []struct{ used, before *float64 }{{cpu.Proxy, earlier.Proxy}, {cpu.Backend, earlier.Backend},
		{cpu.Client, earlier.Client}, {cpu.Service, earlier.Service}, {cpu.Lab, earlier.Lab}} {
		if part.used == nil && part.before != nil {
			return cpu // a process ended in between
		}
		if part.used != nil {
			*other -= *part.used
		}
	}
	// The kernel rounds ticks of 10 ms differently for a process and for the machine.
	*other = max(0, *other)
	cpu.Other = other
	return cpu
}

func known(v float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return &v
}

func minus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return known(*a-*b, nil)
}

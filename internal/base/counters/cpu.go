package counters

import (
	"os"

	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// CPUMeter reads how much processor time the parts of a cell have used.
type CPUMeter struct {
	// Proxy, Backend, Client and Service are the pids of each part (proc.Tree). The time of a process
	// that has ended is lost, so a client is read while it is still waiting for its release.
	Proxy, Backend, Client, Service []int
	// Beside are the processes that h2lab uses beside its own, such as a delay line's.
	Beside []int
}

// Read returns the processor time used so far, in seconds; nil where unknown. Other is that of the whole machine.
func (m CPUMeter) Read() facts.CPU {
	of := func(pids ...int) *float64 {
		if len(pids) == 0 {
			return nil
		}
		return known(proc.CPUSeconds(pids...))
	}
	return facts.CPU{Proxy: of(m.Proxy...), Backend: of(m.Backend...), Client: of(m.Client...), Service: of(m.Service...),
		Lab: of(append([]int{os.Getpid()}, m.Beside...)...), Other: known(proc.MachineBusySeconds()),
		Stolen: known(proc.StolenSeconds())}
}

// CPUSince is the processor time between two readings. Other is the rest of the machine's time. It is unknown when a
// part is unknown, but not when the part doesn't exist (topology direct has no proxy).
func CPUSince(earlier, now facts.CPU) (used facts.CPU) {
	was, is, out := parts(&earlier), parts(&now), parts(&used)
	for i := range out {
		if *was[i] != nil && *is[i] != nil {
			*out[i] = new(**is[i] - **was[i])
		}
	}
	for i, part := range out[:cellParts] {
		switch {
		case used.Other == nil:
		case *part != nil:
			*used.Other -= **part
		case *was[i] != nil: // a process ended in between
			used.Other = nil
		}
	}
	if used.Other != nil { // the kernel rounds ticks of 10 ms differently for a process and for the machine
		*used.Other = max(0, *used.Other)
	}
	return used
}

// cellParts is how many of the parts are the cell's.
const cellParts = 5

func parts(c *facts.CPU) []**float64 {
	return []**float64{&c.Proxy, &c.Backend, &c.Client, &c.Service, &c.Lab, &c.Other, &c.Stolen}
}

func known(v float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return &v
}

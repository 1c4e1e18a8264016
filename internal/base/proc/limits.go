package proc

// Limits are what this process and this machine allow; nil is no limit, or not known.
type Limits struct {
	Files    *int64 // that a process may have open, when it raises its limit as far as it may
	Threads  *int64 // that may still be started
	Ports    *PortRange
	TimeWait *int64 // connections whose port isn't free yet
}

// PortRange are the ports that the kernel gives to outgoing connections.
type PortRange struct{ From, To int }

// Size is how many there are.
func (r PortRange) Size() int { return r.To - r.From + 1 }

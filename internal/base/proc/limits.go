package proc

// Limits are the limits of this process and this machine; nil is no limit, or not known.
type Limits struct {
	Files    *int64 // that a process may open at its hard limit
	Threads  *int64 // that may still be started
	Ports    *PortRange
	TimeWait *int64 // connections whose port isn't free yet
}

// PortRange is the kernel's range of ports for outgoing connections.
type PortRange struct{ From, To int }

// Size is the number of ports.
func (r PortRange) Size() int { return r.To - r.From + 1 }

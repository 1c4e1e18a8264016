package facts

// MachineFull is the share of all cores from which a measurement can't tell which process limits
// which.
const MachineFull = 0.97

// Bystanders is the number of cores from which other programs, or other machines of the same host,
// disturb a measurement.
const Bystanders = 0.2

// Disturbed reports whether they did.
func (t Trial) Disturbed() bool {
	above := func(used *float64) bool { return used != nil && t.ElapsedS > 0 && *used/t.ElapsedS > Bystanders }
	return above(t.CPU.Other) || above(t.CPU.Stolen)
}

// Busy is the processor time of all programs in the window, in seconds, as far as it is known.
func (c CPU) Busy() (seconds float64) {
	for _, part := range []*float64{c.Proxy, c.Backend, c.Client, c.Service, c.Lab, c.Other, c.Stolen} {
		if part != nil {
			seconds += *part
		}
	}
	return seconds
}

// AllCoresBusy reports whether the machine, and not one program, limited the trial. It is false
// where the processor times are unknown.
func (t Trial) AllCoresBusy(cores int) bool {
	return cores > 0 && t.ElapsedS > 0 && t.CPU.Busy() >= MachineFull*float64(cores)*t.ElapsedS
}

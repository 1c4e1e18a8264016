//go:build !linux

package proc

import "github.com/prometheus/procfs"

// What follows is unknown on this system. The other functions read /proc, which it lacks.

// ReadLimits has no data on this system.
func ReadLimits() Limits { return Limits{} }

// RaiseFiles does nothing on this system.
func RaiseFiles(int64) error { return nil }

func cpuModel(procfs.FS) string { return "" }

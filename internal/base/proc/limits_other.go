//go:build !linux

package proc

// ReadLimits has no data on this system.
func ReadLimits() Limits { return Limits{} }

// RaiseFiles does nothing on this system.
func RaiseFiles(int64) error { return nil }

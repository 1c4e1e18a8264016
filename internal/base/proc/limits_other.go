//go:build !linux

package proc

// ReadLimits knows nothing elsewhere.
func ReadLimits() Limits { return Limits{} }

// RaiseFiles does nothing elsewhere.
func RaiseFiles(int64) error { return nil }

//go:build !linux

package proc

import "github.com/prometheus/procfs"

// cpuModel is unknown without Linux's /proc/cpuinfo.
func cpuModel(procfs.FS) string { return "" }

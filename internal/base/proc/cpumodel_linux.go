package proc

import "github.com/prometheus/procfs"

// cpuModel is the first processor's model name; some ARM kernels have none.
func cpuModel(fs procfs.FS) string {
	cpus, err := fs.CPUInfo()
	if err != nil || len(cpus) == 0 {
		return ""
	}
	return cpus[0].ModelName
}

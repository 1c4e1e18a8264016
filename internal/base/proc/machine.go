package proc

import (
	"os"
	"runtime"
	"strings"

	"github.com/prometheus/procfs"
)

// Machine is the machine that measures.
type Machine struct {
	CPU      string // the model's name, else the architecture
	Cores    int    // processors that this process may run on
	MemoryMB int64  // in MB of 10^6 bytes; 0 where unknown
	Kernel   string // release, as uname -r prints it
	OS       string // the distribution's pretty name, else the operating system
}

// ThisMachine describes this machine; a value that can't be read has a simpler substitute.
func ThisMachine() Machine {
	m := Machine{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Kernel: "unknown", OS: runtime.GOOS}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(b))
	}
	for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} { // in os-release(5)'s order
		if b, err := os.ReadFile(path); err == nil {
			if name := prettyName(string(b)); name != "" {
				m.OS = name
			}
			break
		}
	}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return m
	}
	if model := cpuModel(fs); model != "" {
		m.CPU = model
	}
	if mem, err := fs.Meminfo(); err == nil && mem.MemTotalBytes != nil {
		m.MemoryMB = int64(*mem.MemTotalBytes / bytesPerMB)
	}
	return m
}

// AvailableMB is how much memory new programs can have without swapping (MemAvailable in proc(5)), in
// MB of 10^6 bytes; nil where unknown.
func AvailableMB() *int64 {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil
	}
	mem, err := fs.Meminfo()
	if err != nil || mem.MemAvailableBytes == nil {
		return nil
	}
	return new(int64(*mem.MemAvailableBytes / bytesPerMB))
}

// prettyName is PRETTY_NAME of an os-release file, without its quotes.
func prettyName(osRelease string) string {
	for line := range strings.Lines(osRelease) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

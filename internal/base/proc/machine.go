package proc

import (
	"fmt"
	"os"
	"runtime"
	"slices"
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

// PortOwner finds the process that a connection to a TCP port of 127.0.0.1 or ::1 reaches in this
// network namespace; a process that listens only on other addresses, such as the pod's forwarder,
// does not count. nginx's master and workers hold the same socket: PortOwner returns the topmost
// holder. ok is false when no process listens, and also when the owner's descriptors can't be read
// (another user's process, or another PID namespace).
func PortOwner(port int) (pid int, name string, ok bool) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, "", false
	}
	pid = topmost(socketHolders(fs, listeningSockets(port)))
	return pid, Name(pid), pid != 0
}

// listeningSockets are the targets that /proc/PID/fd shows for the sockets listening on port.
// procfs could read the tables too, but deprecates that in favour of netlink, which isn't everywhere that /proc is.
func listeningSockets(port int) (out []string) {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} { // the second is absent without IPv6
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			if inode := listener(line, port); inode != "" {
				out = append(out, "socket:["+inode+"]")
			}
		}
	}
	return out
}

// reachedByLoopback are the listeners that accept connections to loopback, as the tables show their addresses: 32-bit words
// in the machine's byte order (proc_net_tcp.rst), here little-endian.
var reachedByLoopback = []string{"00000000", "0100007F", strings.Repeat("0", 32),
	"00000000000000000000000001000000", "0000000000000000FFFF00000100007F"} // ::1 and ::ffff:127.0.0.1

// listener reads one line of a table, whose columns proc_net_tcp.rst names:
// sl, local_address, rem_address, st, and the inode as the tenth.
func listener(line string, port int) (inode string) {
	const local, st, inodeAt, listen = 1, 3, 9, "0A" // TCP_LISTEN in the kernel's include/net/tcp_states.h
	fields := strings.Fields(line)
	if len(fields) <= inodeAt || fields[st] != listen {
		return ""
	}
	addr, ours := strings.CutSuffix(fields[local], fmt.Sprintf(":%04X", port))
	if !ours || !slices.Contains(reachedByLoopback, addr) {
		return ""
	}
	return fields[inodeAt]
}

// socketHolders maps every process that has one of the sockets open to its parent.
func socketHolders(fs procfs.FS, sockets []string) map[int]int {
	holders := map[int]int{}
	all, err := fs.AllProcs()
	if err != nil || len(sockets) == 0 {
		return holders
	}
	for _, p := range all {
		targets, err := p.FileDescriptorTargets()
		if err != nil {
			continue // ended, or another user's
		}
		if !slices.ContainsFunc(targets, func(t string) bool { return slices.Contains(sockets, t) }) {
			continue
		}
		if stat, err := p.Stat(); err == nil {
			holders[p.PID] = stat.PPID
		}
	}
	return holders
}

// topmost is the holder whose parent is not a holder, the lowest pid of several.
func topmost(parents map[int]int) int {
	top := 0
	for pid, parent := range parents {
		if _, below := parents[parent]; !below && (top == 0 || pid < top) {
			top = pid
		}
	}
	return top
}

// Name is the program's name as the kernel keeps it (at most 15 bytes), empty when the process has
// ended.
func Name(pid int) string {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return ""
	}
	name, err := p.Comm()
	if err != nil {
		return ""
	}
	return name
}

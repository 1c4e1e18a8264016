package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// ReadLimits reads the limits; an unknown one is nil.
func ReadLimits() Limits {
	var l Limits
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) == nil {
		l.Files = known(r.Max)
	}
	l.Threads = lowest(threadsLeft(), pidsLeft())
	if text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		if f := strings.Fields(string(text)); len(f) == 2 {
			from, err1 := strconv.Atoi(f[0])
			to, err2 := strconv.Atoi(f[1])
			if err1 == nil && err2 == nil {
				l.Ports = &PortRange{from, to}
			}
		}
	}
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if s, err := fs.NetSockstat(); err == nil {
			for _, p := range s.Protocols {
				if p.Protocol == "TCP" && p.TW != nil {
					n := int64(*p.TW)
					l.TimeWait = &n
				}
			}
		}
	}
	return l
}

// RaiseFiles raises the limit of open files for this process and for children it starts from now
// on. Go raises its own limit at start, and gives children the former one unless the program sets
// it (os/rlimit.go).
func RaiseFiles(to int64) error {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return err
	}
	r.Cur = min(r.Max, max(uint64(to), 1<<16))
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &r)
}

// known returns a limit, nil for no limit.
func known(n uint64) *int64 {
	if n > 1<<62 { // RLIM_INFINITY
		return nil
	}
	return new(int64(n))
}

// threadsLeft is how many threads RLIMIT_NPROC still allows this user. The kernel doesn't apply it
// to a process with CAP_SYS_RESOURCE (kernel/fork.c, copy_process).
func threadsLeft() *int64 {
	var r unix.Rlimit
	if os.Getuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &r) != nil {
		return nil
	}
	most := known(r.Cur)
	if most == nil {
		return nil
	}
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	left := *most
	for _, p := range all {
		info, err := os.Stat("/proc/" + strconv.Itoa(p.PID))
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
			continue
		}
		if s, err := p.Stat(); err == nil {
			left -= int64(s.NumThreads)
		}
	}
	return &left
}

// pidsLeft is how many threads the pids controller of this cgroup still allows (cgroup v2).
func pidsLeft() *int64 {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	_, path, ok := strings.Cut(strings.TrimSpace(string(own)), "0::")
	if !ok {
		return nil
	}
	number := func(file string) (int64, bool) {
		text, err := os.ReadFile(filepath.Join("/sys/fs/cgroup", path, file))
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil // "max" is no limit
	}
	most, ok1 := number("pids.max")
	now, ok2 := number("pids.current")
	if !ok1 || !ok2 {
		return nil
	}
	return new(most - now)
}

func lowest(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

package runs

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

// ampleLimits checks, before anything starts, that the machine's resource limits are enough for a
// run, and raises those that this process may raise.
func (l *Lab) ampleLimits(need load.Needs) error {
	raise, warnings, err := load.CheckLimits(proc.ReadLimits(), need)
	var limit *load.LimitError
	if errors.As(err, &limit) {
		return exitstatus.Lacks(err)
	}
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	for _, w := range warnings {
		l.message("h2lab: warning: %s", w)
	}
	if err := scratch(); err != nil {
		return err
	}
	return proc.RaiseFiles(raise)
}

// portsOf are the ports that servers listen on.
func portsOf(servers []facts.Server) (ports []int) {
	for _, s := range servers {
		for _, addr := range []string{s.Front, s.Counters} {
			if _, port, err := net.SplitHostPort(addr); err == nil {
				if n, err := strconv.Atoi(port); err == nil {
					ports = append(ports, n)
				}
			}
		}
	}
	return ports
}

// scratch checks that clients can make scratch directories (os.MkdirTemp).
func scratch() error {
	dir, err := os.MkdirTemp("", "h2lab-")
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "room"), make([]byte, 64<<10), 0o600), os.RemoveAll(dir))
	}
	if err != nil {
		return fmt.Errorf("scratch files can't be written to %s: %w; make room there, or choose another place: "+
			"TMPDIR=DIR",
			os.TempDir(), err)
	}
	return nil
}

package proc

import (
	"path"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// LibraryDirs are the directories of the shared libraries that a process has mapped: a second start
// of its program needs them.
func LibraryDirs(pid int) []string {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return nil
	}
	maps, err := p.ProcMaps()
	if err != nil {
		return nil
	}
	var out []string
	for _, m := range maps {
		name := path.Base(m.Pathname)
		if !strings.Contains(name, ".so") || strings.HasPrefix(name, "ld-linux") || !path.IsAbs(m.Pathname) {
			continue
		}
		if dir := path.Dir(m.Pathname); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

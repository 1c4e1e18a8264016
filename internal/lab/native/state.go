package native

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/child"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// stateVersion is the version of the state file that this code writes and reads.
const stateVersion = 1

// state is var/up.json: enough to find and stop the servers again, and never to mistake another
// process for one of them.
type state struct {
	Version int `json:"version"`
	// Boot is the kernel's boot id: start times count from the boot.
	Boot    string        `json:"boot"`
	Root    string        `json:"root"`
	Servers []stateServer `json:"servers"`
	Derived []string      `json:"derived"`
	Cgroups []string      `json:"cgroups"`
}

type stateServer struct {
	Server  facts.Server `json:"server"`
	Program string       `json:"program"`
	PID     int          `json:"pid"`
	Started uint64       `json:"started"` // clock ticks since boot
	Log     string       `json:"log"`
	Cgroup  string       `json:"cgroup"`
	CPUs    *float64     `json:"cpus"`
}

// Save writes the state file, whole or not at all.
func (s *Site) Save(path string) error {
	st := state{Version: stateVersion, Boot: proc.BootID(), Root: s.root, Derived: s.derived, Cgroups: s.groups}
	for _, p := range s.processes {
		st.Servers = append(st.Servers, stateServer{Server: p.server, Program: p.program, PID: p.PID,
			Started: p.Started, Log: p.log, Cgroup: p.group, CPUs: p.cpus})
	}
	text, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("the state of the servers: %w", err)
	}
	if err := rooted.WriteFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("saving the state of the servers: %w", unwritable(s.root, err))
	}
	s.state = path
	return nil
}

// Load reads a state file. The site's servers may have ended since; Down stops only processes that
// are still the saved ones. Without a state file the error is fs.ErrNotExist.
func Load(path string) (*Site, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the state of the servers: %w", err)
	}
	var st state
	if err := json.Unmarshal(text, &st); err != nil {
		return nil, fmt.Errorf("%s can't be read: %w; stop the servers and remove it with: make down", path, err)
	}
	if st.Version != stateVersion {
		return nil, fmt.Errorf("%s has version %d, this h2lab reads %d; stop the servers and remove it with: "+
			"make down", path, st.Version, stateVersion)
	}
	s, err := newSite(Options{Root: st.Root, Detach: true})
	if err != nil {
		return nil, err
	}
	s.derived, s.groups, s.state = st.Derived, ownGroups(st.Cgroups), path
	for _, x := range st.Servers {
		if st.Boot != proc.BootID() {
			x.PID = 0 // of another boot: the pid may belong to another process now
		}
		s.processes = append(s.processes, &process{server: x.Server, program: x.Program,
			Child: child.Find(x.PID, x.Started, x.Server.Name), log: x.Log, group: x.Cgroup, cpus: x.CPUs})
	}
	return s, nil
}

// ownGroups keeps the cgroups that a run of h2lab may have made: h2lab-PID, or one in it.
func ownGroups(dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		for _, d := range []string{dir, filepath.Dir(dir)} {
			if ok, _ := filepath.Match(groupPrefix+"[0-9]*", filepath.Base(d)); ok {
				out = append(out, dir)
				break
			}
		}
	}
	return out
}

package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// stateVersion is the version of the state file that this code writes and reads.
const stateVersion = 1

// state is var/up.json: enough to find and stop the servers again, and never to mistake another
// process for one of them.
type state struct {
	Version int `json:"version"`
	// Boot is the kernel's boot id: start times count from the boot.
	Boot    string   `json:"boot"`
	Root    string   `json:"root"`
	Servers []saved  `json:"servers"`
	Derived []string `json:"derived"`
	Cgroups []string `json:"cgroups"`
}

// saved is what the state file has of a process.
type saved struct {
	Server  facts.Server `json:"server"`
	Program string       `json:"program"` // its path; empty when the process was found
	Pid     int          `json:"pid"`
	Start   uint64       `json:"started"` // clock ticks since boot
	Log     string       `json:"log"`     // its output; empty when the process was found
	Cgroup  string       `json:"cgroup"`  // the directory, or empty
	CPUs    *float64     `json:"cpus"`
}

// Save writes the state file, whole or not at all.
func (s *Site) Save(path string) error {
	st := state{Version: stateVersion, Boot: proc.BootID(), Root: s.Root, Derived: s.derived, Cgroups: s.groups}
	for _, p := range s.processes {
		p.Pid, p.Start = p.PID, p.Started
		st.Servers = append(st.Servers, p.saved)
	}
	text, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("the state of the servers: %w", err)
	}
	if err := rooted.WriteFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("saving the state of the servers: %w", unwritable(s.Root, err))
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
			x.Pid = 0 // of another boot: the pid may belong to another process now
		}
		s.processes = append(s.processes, &process{saved: x, Child: child.Find(x.Pid, x.Start, x.Server.Name)})
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

// LockFile prevents a second run in the same checkout; it is relative to the root.
const LockFile = "var/lock"

// LockError means that another h2lab is running in the checkout.
type LockError struct {
	Root string
	PID  int // 0 until it has written it
}

func (e *LockError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another h2lab has just started in this checkout (%s); try again when it is done", e.Root)
	}
	args := proc.Args(e.PID)
	what := "a measurement is running"
	for _, brief := range []string{"up", "down"} {
		if slices.Contains(args, brief) {
			what = "h2lab " + brief + " is at work"
		}
	}
	return fmt.Sprintf("%s in %s (pid %d, %s); wait until it ends, or stop it with: kill -INT %[3]d", what, e.Root, e.PID,
		text.Clip(strings.Join(args, " "), 80))
}

// Lock makes this the only run in the checkout until release is called or the process ends, for
// whatever reason: the kernel holds the lock, and the file only has the pid for the error messages
// of others.
func Lock(root string) (release func() error, err error) {
	if root, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("the project's root: %w", err)
	}
	path := filepath.Join(root, LockFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, unwritable(root, err)
	}
	lock := flock.New(path)
	got, err := lock.TryLock()
	if err != nil {
		return nil, unwritable(root, err)
	}
	if !got {
		_ = lock.Close()
		return nil, &LockError{Root: root, PID: lockHolder(path)}
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		_ = lock.Unlock()
		return nil, unwritable(root, err)
	}
	return func() error {
		// The file stays: if it were removed, two runs could lock two files of the same name.
		_ = os.Truncate(path, 0)
		if err := lock.Unlock(); err != nil {
			return fmt.Errorf("releasing %s: %w", LockFile, err)
		}
		return nil
	}, nil
}

// lockHolder is the pid in the lock, or 0.
func lockHolder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// UnwritableError means that h2lab can't write to var/, which has the servers' files.
type UnwritableError struct {
	Dir string
	Err error
}

func (e *UnwritableError) Error() string {
	dir, next := text.ShellWord(e.Dir), ""
	switch {
	case system.DiskFull.Is(e.Err):
		next = "make room; see how much there is with: df -h " + dir
	case system.ReadOnly.Is(e.Err):
		next = "its file system is mounted read-only; see where with: findmnt -T " + dir
	case errors.Is(e.Err, fs.ErrPermission):
		next = "make it yours: sudo chown -R $(id -un) " + dir
	default:
		next = "look at it with: ls -ld " + dir
	}
	return fmt.Sprintf("%s can't be written to: %v; %s", dir, plain(e.Err), next)
}

// Unwrap returns the cause.
func (e *UnwritableError) Unwrap() error { return e.Err }

// unwritable is the error for var/.
func unwritable(root string, err error) error {
	return &UnwritableError{Dir: filepath.Join(root, "var"), Err: err}
}

// advised adds a next step to errors of a full or read-only disk.
func advised(root string, err error) error {
	var known *UnwritableError
	if err == nil || errors.As(err, &known) {
		return err
	}
	if system.DiskFull.Is(err) || system.ReadOnly.Is(err) || errors.Is(err, fs.ErrPermission) {
		return unwritable(root, err)
	}
	return err
}

// PortError means that an address is in use, with its owner where that is visible.
type PortError struct {
	Addr    string
	Server  string // the lab's server that needs it
	PID     int    // 0 when the owner can't be seen
	Program string
	// Checkout is the checkout whose server the owner is, or empty.
	Checkout string
	Ours     bool // that is this checkout
	There    bool // it still exists
	Inside   bool // the owner has a root directory of its own, as in a container
}

func (e *PortError) Error() string {
	what := fmt.Sprintf("%s, which %s needs, is taken", e.Addr, e.Server)
	switch {
	case e.Ours:
		return fmt.Sprintf("%s by %s (pid %d), left by h2lab up; run: make down", what, e.Program, e.PID)
	case e.Checkout != "" && e.There:
		return fmt.Sprintf("%s by %s (pid %d) of another checkout, %s; stop it with: make -C %[4]s down", what,
			e.Program, e.PID, text.ShellWord(e.Checkout))
	case e.Inside:
		return fmt.Sprintf("%s by %s (pid %d) in a container; stop that container and try again; look with: docker ps",
			what, e.Program, e.PID)
	case e.PID != 0:
		return fmt.Sprintf("%s by %s (pid %d); stop it and try again: kill %d", what, e.Program, e.PID, e.PID)
	default:
		_, port, _ := net.SplitHostPort(e.Addr)
		return fmt.Sprintf("%s, by a process that can't be seen from here; look with: sudo ss -ltnp 'sport = :%s'",
			what, port)
	}
}

// Taken tries to listen on every address of the servers. It returns an error for every address in use, with its owner.
func Taken(root string, servers []facts.Server) (errs []error) {
	for _, s := range servers {
		for _, addr := range []string{s.Front, s.Counters} {
			switch err := portFree(addr); {
			case addr == "" || err == nil:
			case system.PortTaken.Is(err):
				errs = append(errs, takenBy(root, addr, s.Name))
			default:
				errs = append(errs, fmt.Errorf("%s, which %s needs, can't be listened on: %w", addr, s.Name, err))
			}
		}
	}
	return errs
}

func portFree(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// takenBy finds the owner of an address.
func takenBy(root, addr, server string) *PortError {
	e := &PortError{Addr: addr, Server: server}
	port, err := portOf(addr)
	if err != nil {
		return e
	}
	pid, name, ok := proc.PortOwner(port)
	if !ok {
		return e
	}
	e.PID, e.Program, e.Inside = pid, name, !proc.SameRoot(pid)
	if site, err := Load(filepath.Join(root, StateFile)); err == nil {
		e.Ours = slices.ContainsFunc(site.processes, func(p *process) bool { return p.Alive() && p.PID == pid })
	}
	f, ok := recognise(pid)
	if !ok {
		return e
	}
	e.Checkout, e.There = f.Root, f.There
	if own, err := filepath.EvalSymlinks(root); err == nil {
		own, err = filepath.Abs(own)
		e.Ours = e.Ours || err == nil && own == f.Root
	}
	return e
}

// portOf is the port in host:port.
func portOf(addr string) (int, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, fmt.Errorf("address %q: %w", addr, err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return 0, fmt.Errorf("address %q: %w", addr, err)
	}
	return n, nil
}

// onceEach keeps one error for each other checkout: one command stops all servers of a checkout.
func onceEach(errs []error) error {
	seen := map[string]bool{}
	return errors.Join(slices.DeleteFunc(errs, func(e error) bool {
		var taken *PortError
		if !errors.As(e, &taken) || taken.Checkout == "" {
			return false
		}
		again := seen[taken.Checkout]
		seen[taken.Checkout] = true
		return again
	})...)
}

// Found is a running server of the lab, recognised by its command line and its working directory,
// whatever started it.
type Found struct {
	PID     int
	Started uint64
	Name    string // its program's name in the kernel
	Root    string // the checkout that it runs in
	There   bool   // that directory still exists
	Kind    facts.Kind
}

// recognise reports whether a process is a server of a checkout of the lab: it was started there,
// as commandOf does, with relative paths. Its program's file may have been rebuilt or removed
// since. A process with another root directory is none: its paths are not this system's.
func recognise(pid int) (Found, bool) {
	args := proc.Args(pid)
	dir, there := proc.Cwd(pid)
	if len(args) == 0 || dir == "" || !proc.SameNetwork(pid) || !proc.SameRoot(pid) {
		return Found{}, false
	}
	at := slices.IndexFunc(kinds.Known, func(k kinds.Kind) bool {
		return k.Recognise(dir, args) || k.Garbled && proc.Name(pid) == k.Program && proc.HasOpenBelow(pid, filepath.Join(dir, "var"))
	})
	// The title of a process that a master started names no file.
	if at < 0 || kinds.Known[at].Title != "" && strings.HasPrefix(args[0], kinds.Known[at].Title) && !isCheckout(dir) {
		return Found{}, false
	}
	started, err := proc.StartTime(pid)
	if err != nil {
		return Found{}, false
	}
	return Found{PID: pid, Started: started, Name: proc.Name(pid), Root: dir, There: there, Kind: kinds.Known[at].Name}, true
}

// isCheckout reports whether a directory is a checkout of the lab.
func isCheckout(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "nginx", "keepalive-1000.conf"))
	return err == nil
}

// Running are this checkout's running servers, including those without a state file, but without
// nginx's workers.
func Running(root string) []Found {
	root, err := filepath.EvalSymlinks(root)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return nil
	}
	var out []Found
	living := proc.Living()
	for pid := range living {
		f, ok := recognise(pid)
		if !ok || f.Root != root {
			continue
		}
		if above, ok := recognise(living[pid]); ok && above.Root == root {
			continue // it ends with its master
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Found) int { return a.PID - b.PID })
	return out
}

// StopRunning stops recognised servers.
func StopRunning(ctx context.Context, found []Found) error {
	errs := make([]error, len(found))
	var group await.Group
	for i, f := range found {
		p := &process{saved: saved{Server: facts.Server{Name: f.Name, Kind: f.Kind}}, Child: child.Find(f.PID, f.Started, f.Name)}
		group.Go(func() { errs[i] = p.stop(ctx, defaultGrace) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// Elsewhere are the servers of other checkouts that listen on these servers' ports.
func Elsewhere(root string, servers []facts.Server) []*PortError {
	var out []*PortError
	for _, err := range Taken(root, servers) {
		var taken *PortError
		if errors.As(err, &taken) && taken.Checkout != "" && !taken.Ours {
			if !slices.ContainsFunc(out, func(e *PortError) bool { return e.Checkout == taken.Checkout }) {
				out = append(out, taken)
			}
		}
	}
	return out
}

// Package native starts the servers of a topology as native processes, waits until every server
// answers, and stops them by pid.
//
// Up leaves either every server healthy or none running: it stops all of them when one can't be
// started or dies before it is ready, or when the context ends. Site.Down removes what Up made
// (processes, cgroups, derived configurations). `h2lab up` saves a state file before it starts the
// first server, and `h2lab down` loads it; servers without a state file are recognised by their
// command line and working directory.
//
// Adopt is the alternative under Compose: the servers already run in the same PID and network
// namespaces, and Adopt only finds and checks them.
//
// The files: site starts and stops the servers; command has what each kind of server runs, answers and
// records; tools finds the programs; derive makes the configurations for another LIMIT; cgroup sets the CPU
// limit; running keeps two runs apart and finds servers that run already.
package native

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// Options are the settings of the servers.
type Options struct {
	Root  string // the project's root, above configurations, certificates and var/
	Tools Tools
	// CPUs is the CPU limit of each server in processors; nil is none.
	CPUs *float64
	// Limit replaces 1000 in the configurations of lowLimit; 0 leaves them unchanged.
	Limit int
	// HideLimit keeps Limit out of the servers' command lines, and removes their configurations when the
	// servers have read them: a learner measures it.
	HideLimit bool
	// LogDir gets NAME.stderr.log for each server; empty is var.
	LogDir string
	// State is the file that lists the started servers, for Detach; empty is none.
	State string
	// Detach lets the servers outlive this process, for `h2lab up`.
	Detach bool
	// ReadyWithin bounds the wait for one server to answer; 0 is 30 s, much more than Envoy needs
	// on half a processor.
	ReadyWithin time.Duration
	// Grace is the time between the first signal and SIGKILL; 0 is 5 s.
	Grace time.Duration
	// AdoptedCPUs are the CPU limits by server name, from the container engine, for Adopt, which
	// can't read them itself. A missing one is unlimited.
	AdoptedCPUs map[string]float64
	// Accounts are what adopted nginx servers said of themselves, by server name: their programs are in
	// other containers, which only the engine may enter for every user.
	Accounts map[string]Account
}

// Account is what a server says of itself.
type Account struct {
	Version string // what its program prints for -v
	Config  string // what it prints for -T: every file, as it reads it
	Problem string // why it said nothing; empty otherwise
}

// StateFile is the state file of `h2lab up`, relative to the root.
const StateFile = "var/up.json"

const (
	defaultReadyWithin = 30 * time.Second
	defaultGrace       = 5 * time.Second
)

// Site is the running topology.
type Site struct {
	Options
	processes []*process // in the order of their start, the backend first
	derived   []string   // configurations made for this run, relative to root
	groups    []string   // cgroup directories made for this run, the run's own last
	warnings  []facts.Text

	budget *budget // nil without a budget
	state  string  // the state file it was read from or saved to
}

// newSite fills in the defaults.
func newSite(opts Options) (*Site, error) {
	var err, logErr error
	if opts.Root, err = filepath.Abs(opts.Root); err == nil {
		opts.LogDir, logErr = filepath.Abs(cmp.Or(opts.LogDir, filepath.Join(opts.Root, "var")))
	}
	opts.Grace, opts.ReadyWithin = cmp.Or(opts.Grace, defaultGrace), cmp.Or(opts.ReadyWithin, defaultReadyWithin)
	return &Site{Options: opts}, errors.Join(err, logErr)
}

// Servers are the servers as they run: with their derived configurations.
func (s *Site) Servers() []facts.Server {
	var out []facts.Server
	for _, p := range s.processes {
		out = append(out, p.Server)
	}
	return out
}

// Warnings say which settings could not be applied, such as the CPU limit.
func (s *Site) Warnings() []facts.Text { return slices.Clone(s.warnings) }

// Pids are a server's living processes, including nginx's workers.
func (s *Site) Pids(server string) []int {
	p := s.process(server)
	if p == nil || !p.Alive() {
		return nil
	}
	return proc.Tree(p.PID)
}

func (s *Site) process(server string) *process {
	for _, p := range s.processes {
		if p.Server.Name == server {
			return p
		}
	}
	return nil
}

// Alive names the servers that have died, with their end and last log lines. A dead nginx worker
// counts too, even if its master has started another.
func (s *Site) Alive() error {
	var errs []error
	for _, p := range s.processes {
		if !p.Alive() {
			errs = append(errs, p.died())
			continue
		}
		now := proc.Tree(p.PID)
		for _, pid := range p.family {
			if !slices.Contains(now, pid) {
				errs = append(errs, &DiedError{
					Server: p.Server.Name + "'s worker",
					PID:    pid,
					Status: "ended",
					Log:    p.Log,
					Last:   lastLine(p.Log),
				})
			}
		}
	}
	return errors.Join(errs...)
}

// upstreamFirst orders servers so that each one's upstream starts before it.
func upstreamFirst(servers []facts.Server) []facts.Server {
	out := slices.Clone(servers)
	slices.SortStableFunc(out, func(a, b facts.Server) int { return kinds.Of(a.Kind).Tier - kinds.Of(b.Kind).Tier })
	return out
}

// Up starts the servers and waits until every one answers. On an error, and when the context ends,
// it stops them and removes everything it made for them.
func Up(ctx context.Context, opts Options, servers []facts.Server) (*Site, error) {
	s, err := newSite(opts)
	if err != nil {
		return nil, err
	}
	servers = upstreamFirst(servers)
	if err := s.check(ctx, servers); err != nil {
		return nil, err
	}
	if err := s.raise(ctx, servers); err != nil {
		return nil, errors.Join(err, s.Down(ctx))
	}
	return s, nil
}

// check finds problems before any server starts.
func (s *Site) check(ctx context.Context, servers []facts.Server) error {
	for _, srv := range servers {
		if _, err := commandOf(ctx, s.Root, s.Tools, srv); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("before the servers were started: %w", err)
	}
	if err := CheckCertificates(s.Root, time.Now()); err != nil {
		return err
	}
	return onceEach(Taken(s.Root, servers))
}

// raise makes the servers' files, starts them, and waits for them.
func (s *Site) raise(ctx context.Context, servers []facts.Server) error {
	client, err := healthClient(s.Root)
	if err != nil {
		return err
	}
	servers, err = s.prepare(servers)
	if err != nil {
		return advised(s.Root, err)
	}
	if s.CPUs != nil {
		if err := s.allot(*s.CPUs, servers); err != nil {
			return err
		}
	}
	s.state = s.State // written before any server starts, so that `h2lab down` finds the servers of a killed h2lab
	if err := s.remember(); err != nil {
		return err
	}
	for _, srv := range servers {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("before %s was started: %w", srv.Name, err)
		}
		if err := s.spawn(ctx, srv); err != nil {
			return err
		}
		if err := s.remember(); err != nil {
			return err
		}
	}
	for _, p := range s.processes {
		if err := s.waitReady(ctx, client, p, s.ReadyWithin); err != nil {
			return err
		}
		if err := s.settle(p); err != nil {
			return err
		}
	}
	if s.HideLimit {
		if err := undoDerive(s.Root, s.derived); err != nil {
			return err
		}
		s.derived = nil
	}
	return s.remember() // with the CPU limits as read back
}

// remember saves the state, if the servers outlive h2lab.
func (s *Site) remember() error {
	if s.state == "" {
		return nil
	}
	return s.Save(s.state)
}

// prepare makes var/ and the logs' directory, empties old logs of first requests, and derives the
// configurations for another limit.
func (s *Site) prepare(servers []facts.Server) ([]facts.Server, error) {
	for _, dir := range []string{filepath.Join(s.Root, "var"), s.LogDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, unwritable(s.Root, err)
		}
	}
	out := make([]facts.Server, len(servers))
	for i, srv := range servers {
		for _, log := range []string{srv.UsedLog, srv.HundredsLog} { // of an earlier run
			if err := os.Truncate(filepath.Join(s.Root, log), 0); log != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("emptying the log of counted connections: %w", err)
			}
		}
		if CarriesLimit(srv, s.Limit) {
			changed, err := Derive(s.Root, srv, s.Limit, s.HideLimit)
			if changed.Config != srv.Config {
				s.derived = append(s.derived, changed.Config)
			}
			if err != nil {
				return nil, err
			}
			srv = changed
		}
		out[i] = srv
	}
	return out, nil
}

// allot makes a cgroup with the CPU limit for every server. Where that isn't permitted, all of them
// run unlimited, since limits for some would make results incomparable, and a warning says why. A
// number that no kernel accepts is an error.
func (s *Site) allot(cpus float64, servers []facts.Server) error {
	if cpus < minCPUs {
		return fmt.Errorf("cpus %v: a budget is %v or more; try: CPUS=0.5 or CPUS=none", cpus, minCPUs)
	}
	b, err := openBudget(cgroupMount, "/proc/self/cgroup", os.Getpid())
	if b != nil {
		s.budget, s.groups = b, []string{b.dir}
	}
	for _, srv := range servers {
		if err == nil && !kinds.Of(srv.Kind).JVM {
			var dir string
			dir, err = b.group(srv.Name, cpus)
			s.groups = append([]string{dir}, s.groups...)
		}
	}
	if err == nil {
		return nil
	}
	s.warnings = append(s.warnings, facts.T("lab.no-budget", fmt.Sprint(cpus), err.Error()))
	if b != nil {
		err = b.remove(slices.DeleteFunc(s.groups, func(dir string) bool { return dir == "" }))
		s.budget, s.groups = nil, nil
		return err
	}
	return nil
}

// settle records a ready server's processes and reads its CPU limit back.
func (s *Site) settle(p *process) error {
	p.family = proc.Tree(p.PID)
	if p.Cgroup == "" {
		return nil
	}
	in, err := members(p.Cgroup)
	if err != nil {
		return fmt.Errorf("the processes in the cgroup of %s: %w", p.Server.Name, err)
	}
	for _, pid := range p.family {
		if !in[pid] {
			return fmt.Errorf("%s: its process %d is not in %s, so it runs without the budget", p.Server.Name, pid,
				p.Cgroup)
		}
	}
	if p.CPUs, err = s.budget.cpus(p.Cgroup); err != nil {
		return fmt.Errorf("reading the budget of %s back: %w", p.Server.Name, err)
	}
	return nil
}

// Adopt finds servers that already run in this PID and network namespace (the pod under Compose) by
// the ports they listen on, and checks that each one answers. Only the superuser can see the owners
// of the sockets. Down leaves the servers running; their CPU limits are the engine's, in
// opts.AdoptedCPUs.
func Adopt(ctx context.Context, opts Options, servers []facts.Server) (*Site, error) {
	s, err := newSite(opts)
	if err != nil {
		return nil, err
	}
	client, err := healthClient(s.Root)
	if err != nil {
		return nil, err
	}
	for _, srv := range upstreamFirst(servers) {
		srv, err := derivedBefore(s.Root, srv, opts.Limit)
		if err != nil {
			return nil, err
		}
		p, err := find(srv)
		if err != nil {
			return nil, err
		}
		if err := healthy(ctx, client, srv); err != nil {
			return nil, fmt.Errorf("%s (pid %d) runs but isn't healthy: %w", srv.Name, p.PID, err)
		}
		p.family = proc.Tree(p.PID)
		if cpus, ok := opts.AdoptedCPUs[srv.Name]; ok {
			p.CPUs = &cpus
		}
		p.account = opts.Accounts[srv.Name]
		s.processes = append(s.processes, p)
	}
	return s, nil
}

// find returns the process that listens on a server's front.
func find(srv facts.Server) (*process, error) {
	port, err := portOf(srv.Front)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", srv.Name, err)
	}
	pid, _, ok := proc.PortOwner(port)
	if !ok {
		return nil, fmt.Errorf("%s: no visible process listens on %s; is it up, and do we share its PID "+
			"namespace as root? look with: ss -ltnp", srv.Name, srv.Front)
	}
	started, err := proc.StartTime(pid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", srv.Name, err)
	}
	return &process{saved: saved{Server: srv}, Child: child.Find(pid, started, srv.Name), adopted: true}, nil
}

// derivedBefore is the server with the configuration that Derive made for the limit before the
// server was started.
func derivedBefore(root string, srv facts.Server, limit int) (facts.Server, error) {
	if !CarriesLimit(srv, limit) {
		return srv, nil
	}
	srv.Config = derivedPath(srv, limit, false)
	if _, err := os.Stat(filepath.Join(root, srv.Config)); err != nil {
		return srv, fmt.Errorf("%s should run with a limit of %d: %w", srv.Name, limit, err)
	}
	return srv, nil
}

// process is one running server, started or found, with its files.
type process struct {
	saved
	*child.Child
	adopted bool
	account Account // of a server in another container
	// family is the process and its children at the time it was ready.
	family []int
}

// spawn starts a server that writes its output to a file, in its cgroup if it has one.
func (s *Site) spawn(ctx context.Context, srv facts.Server) error {
	c, err := commandOf(ctx, s.Root, s.Tools, srv)
	if err != nil {
		return err
	}
	p := &process{saved: saved{Server: srv, Program: c.program, Log: filepath.Join(s.LogDir, srv.Name+".stderr.log")}}
	out, err := rooted.CreateLog(p.Log)
	if err != nil {
		return advised(s.Root, fmt.Errorf("a log for %s: %w", srv.Name, err))
	}
	defer out.Close() // the child has its own descriptor
	spec := child.Spec{Argv: append([]string{c.program}, c.args...), Dir: s.Root, Stdout: out, Stderr: out,
		Outlives: s.Detach, EndsWithUs: !s.Detach}
	if s.budget != nil && !kinds.Of(srv.Kind).JVM {
		p.Cgroup = filepath.Join(s.budget.dir, srv.Name)
		spec.Start = func(cmd *exec.Cmd) error { return s.budget.startInside(cmd, p.Cgroup) }
	}
	if p.Child, err = child.Start(spec); err != nil {
		return fmt.Errorf("starting %s: %w", srv.Name, err)
	}
	s.processes = append(s.processes, p)
	return nil
}

// DiedError means that a server ended by itself.
type DiedError struct {
	Server string
	PID    int
	Status string // e.g. "ended with status 1"
	Log    string // the file with all its output
	Last   string // the last line of it
}

func (e *DiedError) Error() string {
	if e.Log == "" || e.Last == "" {
		return e.Ending()
	}
	return e.Ending() + "; all that it printed: cat " + e.Log
}

// Ending is how the server ended, for a result: without the path of a file that the next start
// overwrites.
func (e *DiedError) Ending() string {
	what := fmt.Sprintf("%s (pid %d) %s", e.Server, e.PID, e.Status)
	switch {
	case e.Log == "":
		return what
	case e.Last == "":
		return what + " and printed nothing"
	}
	return what + "; its last line: " + e.Last
}

// died is the error of a process that isn't alive.
func (p *process) died() *DiedError {
	if p.Ours() {
		select {
		case <-p.Exited():
		case <-time.After(time.Second): // ended, and not yet waited for
		}
	}
	return &DiedError{Server: p.Server.Name, PID: p.PID, Status: p.Ending(), Log: p.Log, Last: lastLine(p.Log)}
}

// lastLine is the last line of a file, or empty.
func lastLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 16 << 10
	if info, err := f.Stat(); err == nil && info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	var tail child.Tail
	_, _ = io.Copy(&tail, io.LimitReader(f, most)) // a read error leaves what was read
	return tail.Last()
}

// Down stops the servers, those nearest to the clients first, with a signal for a graceful stop and
// then SIGKILL, and waits for each. It then removes cgroups, derived configurations and the state
// file. It does not stop adopted servers.
//
// Down also works with a context that has already ended, as after Ctrl-C; a context that ends while
// Down waits makes it send SIGKILL at once.
func (s *Site) Down(ctx context.Context) error {
	ctx = child.Cleanup(ctx)
	var errs []error
	for _, k := range slices.Backward(kinds.Known) {
		errs = append(errs, s.stopTier(ctx, k))
	}
	for _, dir := range s.groups {
		errs = append(errs, removeGroup(dir, os.Remove))
	}
	errs = append(errs, undoDerive(s.Root, s.derived))
	s.groups, s.derived = nil, nil
	if s.state != "" {
		if err := os.Remove(s.state); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("removing the state file: %w", err))
		}
		s.state = ""
	}
	return errors.Join(errs...)
}

// stopTier stops the servers of one tier at the same time.
func (s *Site) stopTier(ctx context.Context, k kinds.Kind) error {
	var group await.Group
	errs := make([]error, len(s.processes))
	for i, p := range s.processes {
		if p.adopted || p.Server.Kind != k.Name {
			continue
		}
		group.Go(func() {
			errs[i] = p.stop(ctx, s.Grace)
			if errs[i] == nil && k.Graceful {
				// nginx removes its pid file itself, unless it was killed.
				_ = os.Remove(filepath.Join(s.Root, "var", p.Server.Name+".pid"))
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// stop sends a signal and then kills. nginx finishes its requests on QUIT, the others on TERM.
func (p *process) stop(ctx context.Context, grace time.Duration) error {
	how := child.Manner{Grace: grace}
	if kinds.Of(p.Server.Kind).Graceful {
		how.Signals = []syscall.Signal{syscall.SIGQUIT, syscall.SIGTERM}
	}
	if err := p.Stop(ctx, how); err != nil {
		return fmt.Errorf("%s: %w", p.Server.Name, err)
	}
	return nil
}

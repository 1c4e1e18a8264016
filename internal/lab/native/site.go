package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"h2lab/internal/base/proc"
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
	// Stdin is the standard input of each server; nil is /dev/null.
	Stdin *os.File
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
	root   string
	tools  Tools
	logDir string
	stdin  *os.File
	detach bool
	grace  time.Duration

	processes []*process // in the order of their start, the backend first
	derived   []string   // configurations made for this run, relative to root
	groups    []string   // cgroup directories made for this run, the run's own last
	warnings  []string

	budget *budget // nil without a budget
	state  string  // the state file it was read from or saved to
}

// newSite fills in the defaults.
func newSite(opts Options) (*Site, error) {
	root, err := filepath.Abs(opts.Root)
	if err != nil {
		return nil, fmt.Errorf("the project's root %s: %w", opts.Root, err)
	}
	s := &Site{root: root, tools: opts.Tools, logDir: opts.LogDir, detach: opts.Detach, grace: opts.Grace,
		stdin: opts.Stdin}
	if s.logDir == "" {
		s.logDir = filepath.Join(root, "var")
	}
	if s.logDir, err = filepath.Abs(s.logDir); err != nil {
		return nil, fmt.Errorf("the directory for logs %s: %w", opts.LogDir, err)
	}
	if s.grace == 0 {
		s.grace = defaultGrace
	}
	return s, nil
}

func (s *Site) logPath(server string) string {
	return filepath.Join(s.logDir, server+".stderr.log")
}

// Servers are the servers as they run: with their derived configurations.
func (s *Site) Servers() []facts.Server {
	var out []facts.Server
	for _, p := range s.processes {
		out = append(out, p.server)
	}
	return out
}

// Warnings say which settings could not be applied, such as the CPU limit.
func (s *Site) Warnings() []string { return slices.Clone(s.warnings) }

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
		if p.server.Name == server {
			return p
		}
	}
	return nil
}

// CPUs is a server's CPU limit as read back; nil is unlimited.
func (s *Site) CPUs(server string) *float64 {
	if p := s.process(server); p != nil {
		return p.cpus
	}
	return nil
}

// Throttling is how often the CPU limit stopped a server; ok is false where h2lab set no limit.
func (s *Site) Throttling(server string) (t Throttling, ok bool) {
	p := s.process(server)
	if p == nil || p.group == "" {
		return Throttling{}, false
	}
	t, err := readThrottling(p.group)
	return t, err == nil
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
					Server: p.server.Name + "'s worker",
					PID:    pid,
					Status: "ended",
					Log:    p.log,
					Last:   lastLine(p.log),
				})
			}
		}
	}
	return errors.Join(errs...)
}

// upstreamFirst orders servers so that each one's upstream starts before it.
func upstreamFirst(servers []facts.Server) []facts.Server {
	out := slices.Clone(servers)
	slices.SortStableFunc(out, func(a, b facts.Server) int { return tier(a.Kind) - tier(b.Kind) })
	return out
}

// tiers are the kinds of servers by their distance from the backend, in every topology of the lab.
var tiers = []facts.Kind{facts.Backend, facts.Gateway, facts.Envoy, facts.Nginx, facts.Service}

func tier(k facts.Kind) int { return slices.Index(tiers, k) }

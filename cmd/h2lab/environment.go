package main

import (
	"maps"
	"os"
	"runtime"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// environment records the machine and the versions of a measurement. It keeps the servers' own
// dumps of their configuration in dir.
func (s *site) environment(a *app, dir string) (facts.Environment, error) {
	m := proc.ThisMachine()
	e := facts.Environment{CPU: m.CPU, Cores: m.Cores, MemoryMB: m.MemoryMB, Kernel: m.Kernel, OS: m.OS,
		Versions: map[string]string{"go": runtime.Version()}, Git: git(a)}
	versions, err := s.tools.Versions(a.ctx)
	if err != nil {
		return e, err
	}
	maps.Copy(e.Versions, versions)
	e.Servers, err = s.Records(a.ctx, dir)
	for _, r := range e.Servers { // inside the pod only the servers report their versions
		if kind := kindOf(r.Name); kind != "" && e.Versions[kind] == "" {
			e.Versions[kind] = r.Version
		}
	}
	return e, err
}

func kindOf(server string) string {
	for _, kind := range []string{"nginx", "envoy"} {
		if strings.HasPrefix(server, kind) {
			return kind
		}
	}
	return ""
}

// gitTime limits one git command; a large checkout on a slow disk takes seconds.
const gitTime = 10 * time.Second

// git returns the state of the checkout; fields that are unknown stay empty.
func git(a *app) facts.Git {
	if a.host != nil {
		return a.host.Git
	}
	out := func(args ...string) string {
		r, err := child.Run(a.ctx, child.Spec{Argv: append([]string{"git", "-C", a.root}, args...)},
			child.Limits{Within: gitTime})
		if err != nil {
			return ""
		}
		return strings.TrimSpace(r.Stdout)
	}
	return facts.Git{Commit: out("rev-parse", "HEAD"), Dirty: out("status", "--porcelain") != ""}
}

// ownMemory is the largest resident size of this process so far.
func ownMemory() *float64 {
	mb, err := proc.MaxRSSMB(os.Getpid())
	if err != nil {
		return nil
	}
	return &mb
}

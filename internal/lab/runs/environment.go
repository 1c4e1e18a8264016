package runs

import (
	"context"
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
func (l *Lab) environment(ctx context.Context, s *servers, dir string) (facts.Environment, error) {
	m := proc.ThisMachine()
	e := facts.Environment{CPU: m.CPU, Cores: m.Cores, MemoryMB: m.MemoryMB, Kernel: m.Kernel, OS: m.OS,
		Versions: map[string]string{"go": runtime.Version()}, Git: l.git(ctx)}
	versions, err := s.tools.Versions(ctx)
	if err != nil {
		return e, err
	}
	maps.Copy(e.Versions, versions)
	e.Servers, err = s.records(ctx, dir)
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
func (l *Lab) git(ctx context.Context) facts.Git {
	if l.Order != nil {
		return l.Order.Git
	}
	out := func(args ...string) string {
		r, err := child.Run(ctx, child.Spec{Argv: append([]string{"git", "-C", l.Root}, args...)},
			child.Limits{Within: gitTime})
		if err != nil {
			return ""
		}
		return strings.TrimSpace(r.Stdout)
	}
	return facts.Git{Commit: out("rev-parse", "HEAD"), Dirty: out("status", "--porcelain") != ""}
}

// OwnMemory is the largest resident size of this process so far.
func OwnMemory() *float64 {
	mb, err := proc.MaxRSSMB(os.Getpid())
	if err != nil {
		return nil
	}
	return &mb
}

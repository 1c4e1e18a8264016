package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// EveryTool lists every tool that any command needs.
func EveryTool() []string { return []string{"nginx", "envoy", "k6", "backend", "go-client"} }

// SweepTools lists the tools that only a sweep needs.
func SweepTools() []string { return []string{"ab"} }

// serverTools lists the programs of the topologies' servers.
func serverTools(topologies []facts.Topology) (need []string) {
	for _, s := range plan.Servers(topologies) {
		if s.Kind == facts.Gateway { // built with the services
			continue
		}
		if tool := string(s.Kind); !slices.Contains(need, tool) {
			need = append(need, tool)
		}
	}
	return need
}

// clientTools lists the programs of the clients: k6 for its scripts, the project's own Go client
// for the others.
func clientTools(clients []facts.Client) (need []string) {
	for _, c := range clients {
		tool := "go-client"
		switch {
		case isK6(c):
			tool = "k6"
		case c == facts.Ab:
			tool = "ab"
		}
		if !slices.Contains(need, tool) {
			need = append(need, tool)
		}
	}
	return need
}

func isK6(c facts.Client) bool { return c == facts.K6SharedPool || c == facts.K6ConnectionPerVU }

// makeReady makes certificates and installs the tools that are in neither PATH nor tools/bin, so
// that a new user's first command runs without preparation.
func (l *Lab) makeReady(ctx context.Context, key string, need []string) error {
	if err := l.script(ctx, "certs/make.sh", key); err != nil {
		return err
	}
	for _, tool := range need {
		if err := l.install(ctx, tool); err != nil {
			return err
		}
	}
	return nil
}

// install gets one tool where it is missing or too old.
func (l *Lab) install(ctx context.Context, tool string) error {
	_, err := native.FindTools(ctx, l.Root, tool)
	var missing *native.ToolError
	var hung *child.HungError
	if err == nil || !errors.As(err, &missing) || errors.As(err, &hung) ||
		!slices.Contains([]string{"nginx", "envoy", "k6"}, tool) {
		return err
	}
	what := "is missing"
	if missing.Path != "" {
		what = "is too old"
	}
	l.message("h2lab: %s %s: getting it (once; some minutes)", tool, what)
	return l.script(ctx, "tools/get.sh", tool)
}

// scriptGrace is how long a script may take to end when h2lab is interrupted.
const scriptGrace = 5 * time.Second

// script runs one of the project's own scripts and sends its messages to stderr.
func (l *Lab) script(ctx context.Context, name string, args ...string) error {
	line := strings.Join(append([]string{name}, args...), " ")
	c, err := child.Start(child.Spec{Argv: append([]string{filepath.Join(l.Root, name)}, args...), Dir: l.Root,
		Stdout: l.Stderr, Stderr: l.Stderr, Foreground: true}) // it may ask for a password
	if err != nil {
		return exitstatus.Lacks(fmt.Errorf("%s can't be started: %w; restore it with: git checkout %s", line,
			errors.Unwrap(err), name))
	}
	select {
	case <-c.Exited():
	case <-ctx.Done():
	}
	err = c.Stop(child.Cleanup(ctx), child.Manner{Signals: []syscall.Signal{syscall.SIGINT}, Grace: scriptGrace})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return exitstatus.Lacks(fmt.Errorf("%s: %w", line, err))
	case c.Err() != nil:
		return exitstatus.Lacks(fmt.Errorf("%s %s; its messages are above", line, c.Ending()))
	}
	return nil
}

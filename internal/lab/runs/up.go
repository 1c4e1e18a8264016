package runs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/system"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// Up starts every topology that can run here, leaves it running and returns it.
func (l *Lab) Up(ctx context.Context, k plan.Knobs, runtime string) (there []facts.Topology, err error) {
	if err := k.Validate(); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	asked := runtime
	runtime, why, err := l.runtimeOfUp(ctx, asked, k)
	if err != nil {
		return nil, err
	}
	if err := l.lineWorks(k.Line()); err != nil {
		return nil, err
	}
	_, err = l.locked(func() (_ string, err error) {
		if asked != Auto {
			l.remember(runtime)
		}
		if err := l.keepDistance(k.Line()); err != nil {
			return "", err
		}
		l.say(facts.T("lab.up", runtime, why))
		topologies := plan.Topologies(k.Limit)
		if runtime == Docker {
			there, err = l.dockerUp(ctx, k, topologies)
			return "", err
		}
		s, err := l.startServers(ctx, start{runtime: runtime, knobs: k, topologies: topologies, detached: true})
		if err != nil {
			return "", errors.Join(err, l.keepDistance(facts.Distance{}))
		}
		there = slices.DeleteFunc(topologies, func(t facts.Topology) bool { return !s.unsupported[t.Name].IsZero() })
		return "", nil
	})
	return there, err
}

// dockerUp starts the topologies that the images can run under Compose, leaves them running and
// returns them. When it fails, it removes what it started.
func (l *Lab) dockerUp(ctx context.Context, k plan.Knobs, topologies []facts.Topology) ([]facts.Topology, error) {
	project, err := l.composed(ctx, k, topologies)
	if err != nil {
		return nil, err
	}
	services := project.names()
	if err := project.Up(ctx, services...); err != nil {
		return nil, errors.Join(err, l.dismantle(ctx))
	}
	return slices.DeleteFunc(topologies, func(t facts.Topology) bool {
		return !slices.Contains(services, t.Front().Name)
	}), nil
}

// Down stops what `up` started, in either runtime, and any other servers of this checkout. It leaves
// a running measurement alone. first runs before native servers are stopped.
func (l *Lab) Down(ctx context.Context, first func() error) (err error) {
	unlock, lockErr := native.Lock(l.Root)
	var held *native.LockError
	if errors.As(lockErr, &held) {
		return lockErr
	}
	if lockErr != nil { // stopping servers requires no writable directory
		l.warn(lockErr.Error())
	} else {
		defer func() { err = errors.Join(err, unlock()) }()
	}
	if err := l.keepDistance(facts.Distance{}); err != nil {
		l.warn(err.Error())
	}
	inContainer, stopped := l.inLabContainer(), false
	if system.NoNative(l.system()) == nil {
		if err := first(); err != nil {
			return err
		}
		stopped, err = l.stopNative(ctx)
	}
	if err == nil && !stopped {
		stopped, err = l.stopContainers(ctx)
	}
	if err != nil {
		return err
	}
	for _, other := range native.Elsewhere(l.Root, plan.EveryServer()) {
		l.say(facts.T("lab.not-stopped", other.Error()))
	}
	if !stopped && !inContainer {
		l.say(facts.T("lab.none-running"))
	}
	return nil
}

// stopNative stops the native servers: those in the state file, and those recognised as this checkout's.
func (l *Lab) stopNative(ctx context.Context) (stopped bool, err error) {
	s, err := native.Load(l.stateFile())
	switch {
	case err == nil:
		stopped = true
		if err := s.Down(ctx); err != nil {
			return stopped, err
		}
	case !errors.Is(err, fs.ErrNotExist): // servers are found without the file
		l.say(facts.T("lab.state-unread", native.StateFile))
		if err := os.Remove(l.stateFile()); err != nil {
			return false, err
		}
	}
	if found := native.Running(l.Root); len(found) > 0 {
		stopped = true
		if err := native.StopRunning(child.Cleanup(ctx), found); err != nil {
			return true, err
		}
		if err := native.Underive(l.Root); err != nil {
			return true, err
		}
	}
	if stopped {
		l.say(facts.T("lab.stopped-native"))
	}
	return stopped, nil
}

// inLabContainer reports whether a lab container that has this checkout mounted wrote the state file; its
// pids mean nothing here.
func (l *Lab) inLabContainer() bool {
	if system.NoNative(l.system()) == nil {
		return false
	}
	if _, err := os.Stat(l.stateFile()); err != nil {
		return false
	}
	l.say(facts.T("lab.in-lab-container", native.StateFile))
	return true
}

// stopContainers stops the containers.
func (l *Lab) stopContainers(ctx context.Context) (stopped bool, err error) {
	if _, err := compose.Engine(ctx); err != nil {
		return false, ctx.Err() // no engine, no containers
	}
	left, err := compose.Orphans(ctx)
	if err != nil || len(left) == 0 {
		return false, ctx.Err()
	}
	if err := errors.Join(compose.Down(ctx, l.Root), native.Underive(l.Root)); err != nil {
		return true, err
	}
	l.say(facts.T("lab.stopped-containers"))
	return true, nil
}

// Fronts are the servers of h2lab up that clients call, on this machine, in the order of the topologies;
// none while they don't run. own is the limit of servers that hide theirs; name is given the low limit in force.
func (l *Lab) Fronts(own int, name func(t facts.Topology, low int) string) (out []live.Front) {
	site, err := native.Load(l.stateFile())
	if err != nil || site.Alive() != nil {
		return nil
	}
	running, low := map[string]live.Front{}, 0
	for _, s := range site.Servers() {
		limit := own
		if !native.Hides(s) {
			limit = limitIn(filepath.Join(l.Root, s.Config))
		}
		running[s.Name] = live.Front{Server: s, Limit: limit}
	}
	for _, t := range plan.Topologies(plan.DefaultLimit) {
		if n := running[t.Front().Name].Limit; t.Limit == plan.DefaultLimit && n > 0 && (low == 0 || n < low) {
			low = n
		}
	}
	for _, t := range plan.Topologies(cmp.Or(low, plan.DefaultLimit)) {
		if f, ok := running[t.Front().Name]; ok && f.Server.Kind != facts.Backend {
			f.Name = name(t, low)
			out = append(out, f)
		}
	}
	return out
}

// limitOf matches the setting of a limit on the requests of a connection, in each server's words, outside comments.
var limitOf = sync.OnceValue(func() *regexp.Regexp {
	var words []string
	for _, k := range kinds.Known {
		if k.Limit != "" {
			words = append(words, regexp.QuoteMeta(k.Limit))
		}
	}
	return regexp.MustCompile(`(?m)^[^#\n]*\b(?:` + strings.Join(words, "|") + `)\s+(\d+)`)
})

// limitIn is the smallest limit that a configuration sets, since the lab's files switch the limits of
// counters and upstreams off by a huge number; 0 is none.
func limitIn(file string) (least int) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for _, m := range limitOf().FindAllSubmatch(text, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/system"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// The runtimes. pod is the runtime of an h2lab inside the pod, which adopts the servers that run
// there; users can't choose it.
const (
	Auto   = "auto"
	Native = "native"
	Docker = "docker"
	pod    = "pod"
)

// knownRuntime rejects a name that is no runtime.
func knownRuntime(asked string) error {
	switch asked {
	case Auto, Native, Docker:
		return nil
	}
	return exitstatus.WrongUsage(fmt.Errorf("RUNTIME=%s is unknown: choose from docker, native, auto", asked))
}

// chooseRuntime resolves RUNTIME and returns the reason for the choice.
func (l *Lab) chooseRuntime(ctx context.Context, asked string, k plan.Knobs) (runtime string, why facts.Text, err error) {
	if err := knownRuntime(asked); err != nil {
		return "", why, err
	}
	noNative := system.NoNative(l.system())
	if asked == Native {
		return asked, facts.T("lab.as-asked"), noNative
	}
	engine, reason := DockerLacks(ctx, l.Root)
	if cpus, err := k.CPUBudget(); reason == nil && err == nil {
		reason = engine.NoBudget(cpus)
	}
	switch {
	case noNative != nil && reason != nil:
		return "", why, exitstatus.Lacks(fmt.Errorf("on %s the lab requires Docker, and %s", system.Name(l.system()),
			withoutNative(reason)))
	case noNative != nil && asked == Auto:
		return Docker, facts.T("lab.auto-linux"), nil
	case asked == Docker && reason != nil:
		return "", why, exitstatus.Lacks(fmt.Errorf("RUNTIME=docker: %w", reason))
	case asked == Docker:
		return asked, facts.T("lab.as-asked"), nil
	case reason != nil:
		return Native, facts.T("lab.auto-since", reason.Error()), nil
	}
	return Docker, facts.T("lab.auto-docker"), nil
}

// orNative is advice that only Linux has a use for.
var orNative = regexp.MustCompile(`[;,] or use RUNTIME=native`)

// withoutNative is the reason against Docker without the advice to use the native runtime.
func withoutNative(reason error) string { return orNative.ReplaceAllString(reason.Error(), "") }

// runtimeFile has the runtime that the user last chose for `up`; it is relative to the root.
const runtimeFile = "var/runtime"

// remember stores the runtime of an `up`. It is a convenience: if it can't be stored, `up` works.
func (l *Lab) remember(runtime string) {
	_ = rooted.WriteFile(filepath.Join(l.Root, runtimeFile), []byte(runtime+"\n"))
}

// farUp is why `up` with a distance requires the native runtime.
const farUp = "a distance (RTT, JITTER, LOSS, BANDWIDTH) of `up` is for commands that `h2lab delay` runs beside the servers"

// runtimeOfUp resolves RUNTIME for `up`: without one it is the runtime that the user chose last, so that
// `make down; make up` in a terminal without `export RUNTIME=native` starts the same servers again.
func (l *Lab) runtimeOfUp(ctx context.Context, asked string, k plan.Knobs) (runtime string, why facts.Text, err error) {
	if k.Line().Any() {
		return Native, facts.T("lab.up-far"), l.outsideThePod(asked, farUp)
	}
	if asked == Auto {
		text, _ := os.ReadFile(filepath.Join(l.Root, runtimeFile))
		last := strings.TrimSpace(string(text))
		if last == Native || last == Docker {
			if runtime, _, err := l.chooseRuntime(ctx, last, k); err == nil {
				return runtime, facts.T("lab.auto-last-up"), nil
			}
		}
	}
	return l.chooseRuntime(ctx, asked, k)
}

// DockerLacks returns the engine, and what keeps the Docker runtime from working, or nil.
func DockerLacks(ctx context.Context, root string) (compose.EngineInfo, error) {
	if abs, err := filepath.Abs(root); err == nil && strings.Contains(abs[len(filepath.VolumeName(abs)):], ":") {
		return compose.EngineInfo{}, fmt.Errorf("the path %s has a colon, so Docker can't mount it: move the checkout", abs)
	}
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	engine, err := compose.Engine(ctx)
	if err != nil {
		return engine, err
	}
	images, err := compose.Images(root)
	if err != nil {
		return engine, err
	}
	if err := compose.ImagesAvailable(ctx, images); err != nil {
		return engine, err
	}
	return engine, compose.Shared(ctx, engine, root)
}

// servers are running topologies, the services that call them, and the tools that drive both.
type servers struct {
	*native.Site
	services    *native.Site // nil without one
	tools       native.Tools
	adopted     bool                  // this process must not stop them
	unsupported map[string]facts.Text // by topology
}

// start says which servers to start, and what for.
type start struct {
	runtime    string
	knobs      plan.Knobs
	topologies []facts.Topology
	tools      []string     // of the clients
	detached   bool         // servers run on after this process ends, until h2lab down
	limits     func() error // checks the machine's limits; nil compares them with CONCURRENCY
	// build makes what the servers need besides tools; it may be nil.
	build func(context.Context) error
}

// startServers makes missing certificates and tools, then starts the servers of the topologies that
// can run here. In the pod it adopts the servers that already run.
func (l *Lab) startServers(ctx context.Context, w start) (*servers, error) {
	ample := w.limits
	if ample == nil {
		ample = func() error {
			return l.ampleLimits(load.Needs{InFlight: w.knobs.MayBeInFlight(), Ports: portsOf(plan.Servers(w.topologies))})
		}
	}
	if err := ample(); err != nil {
		return nil, err
	}
	s := &servers{unsupported: map[string]facts.Text{}, adopted: w.runtime == pod}
	need := w.tools
	if !s.adopted {
		need = append(serverTools(w.topologies), need...)
		if err := l.makeReady(ctx, w.knobs.Key, need); err != nil {
			return nil, err
		}
	}
	if w.build != nil && !s.adopted {
		if err := w.build(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if s.tools, err = native.FindTools(ctx, l.Root, need...); err != nil {
		return nil, err
	}
	if s.Site, err = l.up(ctx, w, s); err != nil {
		return nil, err
	}
	for _, warning := range s.Warnings() {
		l.warn(warning)
	}
	return s, nil
}

// up starts or adopts the servers.
func (l *Lab) up(ctx context.Context, w start, s *servers) (*native.Site, error) {
	can := l.supported(ctx, s, w.topologies)
	cpus, _ := w.knobs.CPUBudget() // Validate has checked it
	opts := native.Options{Root: l.Root, Tools: s.tools, CPUs: cpus, Limit: w.knobs.Limit, Detach: w.detached,
		HideLimit: w.knobs.HideLimit, LogDir: filepath.Join(l.Root, "var", "log")}
	if w.detached {
		opts.State = l.stateFile()
	}
	if s.adopted {
		opts.AdoptedCPUs, opts.Accounts = l.Order.budgets(), l.Order.Accounts
		return native.Adopt(ctx, opts, can)
	}
	return native.Up(ctx, opts, can)
}

// supported returns the servers of the topologies that can run here and keeps the reasons why the
// others can't.
func (l *Lab) supported(ctx context.Context, s *servers, topologies []facts.Topology) []facts.Server {
	var can []facts.Topology
	for _, t := range topologies {
		var reason facts.Text
		for _, server := range t.Servers {
			if r := native.Supported(ctx, s.tools, server); !r.IsZero() && reason.IsZero() {
				reason = r
			}
		}
		if ctx.Err() != nil { // then no version was read
			break
		}
		if !reason.IsZero() {
			s.unsupported[t.Name] = reason
			l.say(facts.T("lab.unsupported", t.Name, reason))
			continue
		}
		can = append(can, t)
	}
	return plan.Servers(can)
}

// lacks returns the reason why a cell can't run here.
func (s *servers) lacks(p facts.Planned) facts.Text { return s.unsupported[p.Topology.Name] }

// stopping bounds the time to stop the servers.
const stopping = 30 * time.Second

// stop stops the servers, also after an interrupt.
func (s *servers) stop(ctx context.Context) error {
	if s.adopted {
		return nil
	}
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(ctx)), stopping)
	defer cancel()
	return errors.Join(s.stopServices(ctx), s.Site.Down(ctx))
}

// EveryTool lists every tool that any command needs.
func EveryTool() (out []string) {
	for _, k := range kinds.Known {
		if k.Program != "" && !k.Optional {
			out = append(out, k.Program)
		}
	}
	return append(out, "k6", "go-client")
}

// SweepTools lists the tools that only a sweep needs.
func SweepTools() []string { return []string{"ab"} }

// serverTools lists the programs of the topologies' servers.
func serverTools(topologies []facts.Topology) (need []string) {
	for _, s := range plan.Servers(topologies) {
		if tool := kinds.Of(s.Kind).Program; tool != "" && !slices.Contains(need, tool) {
			need = append(need, tool)
		}
	}
	return need
}

// clientTools lists the programs that generate the load of cells: k6 for its scripts, which also warm services up, and
// the project's own Go client. The rows of a client matrix bring programs of their own.
func clientTools(cells []facts.Planned) (need []string) {
	for _, c := range cells {
		tool := "go-client"
		switch users := cmp.Or(c.Users, c.Client); {
		case isK6(users):
			tool = "k6"
		case users == facts.Ab:
			tool = "ab"
		case c.Users == "" && c.Program != nil:
			continue
		}
		need = append(need, tool)
		if c.Service != nil {
			need = append(need, "k6")
		}
	}
	slices.Sort(need)
	return slices.Compact(need)
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
		kinds.ByProgram(tool).Install != "make tools" && tool != "k6" {
		return err
	}
	said := facts.T("lab.getting-missing", tool)
	if missing.Path != "" {
		said = facts.T("lab.getting-old", tool)
	}
	l.say(said)
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
		l.warn(w)
	}
	if err := room(os.TempDir(), "scratch files", "TMPDIR"); err != nil {
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

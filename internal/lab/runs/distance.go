package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/term"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/delay"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// apart reports whether a run needs a line. All its clients then cross the line, except those of cells without a
// distance in SWEEP=matters (placeBench.benchFor).
func apart(cells []facts.Planned) bool {
	return slices.ContainsFunc(cells, func(c facts.Planned) bool { return c.Workload.Distance.Any() })
}

// distant continues a run over a distance in a network namespace of its own, as the same process. Before that it makes
// what needs the host's network.
func (l *Lab) distant(ctx context.Context, r *run) error {
	if !apart(r.cells) || r.Runtime != Native || delay.Entered() {
		return nil
	}
	if _, err := l.locked(func() (string, error) {
		if err := l.idle(); err != nil {
			return "", err
		}
		need := append(serverTools(plan.TopologiesOf(r.cells)), clientTools(r.cells)...)
		return "", errors.Join(l.makeReady(ctx, r.Knobs.Key, need), l.build(ctx, r.programs))
	}); err != nil {
		return err
	}
	err := delay.Enter(fmt.Sprintf("SEED=%d", r.Knobs.Seed))
	if r.nearby != nil {
		r.nearby(err)
		return nil
	}
	return exitstatus.Lacks(err)
}

// idle rejects a run beside servers of this checkout: in its own namespace the run finds their ports free, but it
// shares the processors, the certificates and the files in var/ with them.
func (l *Lab) idle() error {
	for _, f := range native.Running(l.Root) {
		return fmt.Errorf("%s (pid %d) of this checkout is running, left by h2lab up; run: make down", f.Name, f.PID)
	}
	return nil
}

// farEnd is where clients run: at the far end of a line, or beside h2lab.
type farEnd struct{ line *delay.Far }

// openLine joins the clients' namespace to this one where a run needs it; the pod's namespace is the run's own already.
// Each trial sets its distance.
func openLine(r *run) (farEnd, error) {
	open := delay.Open
	if r.Runtime == pod {
		open = besideClients
	}
	if !apart(r.cells) {
		return farEnd{}, nil
	}
	line, err := open(delay.Line{Seed: r.Knobs.Seed})
	if err != nil && r.nearby != nil {
		r.nearby(err)
		return farEnd{}, nil
	}
	if err != nil {
		return farEnd{}, exitstatus.Lacks(err)
	}
	return farEnd{line}, nil
}

// besideClients opens a line to the namespace of the client containers, where there are any.
func besideClients(line delay.Line) (*delay.Far, error) {
	for pid := range proc.Living() {
		if slices.Equal(proc.Args(pid), compose.FarHold) && !proc.SameNetwork(pid) {
			return delay.BesideTo(pid, line)
		}
	}
	return delay.Beside(line)
}

// place sets the line of a trial and starts its client there (conduct.Bench.Far); nil is beside h2lab.
func (f farEnd) place() func(facts.Distance) func(*exec.Cmd) error {
	if f.line == nil {
		return nil
	}
	return func(d facts.Distance) func(*exec.Cmd) error {
		f.line.Set(delay.Of(d))
		return f.line.Start
	}
}

// pids are the line's processes (conduct.Bench.Beside).
func (f farEnd) pids() []int {
	if f.line == nil {
		return nil
	}
	return []int{f.line.Pid()}
}

func (f farEnd) close() {
	if f.line != nil {
		f.line.Close()
	}
}

// mostLate is the share of packets that may leave the line late before a run says so.
const mostLate = 0.01

// warnings say where the line did other than it was asked to.
func (f farEnd) warnings() (out []facts.Text) {
	if f.line == nil {
		return nil
	}
	if err := f.line.Err(); err != nil {
		out = append(out, facts.T("verdict.recorded", err.Error()))
	}
	n := f.line.Counts()
	if float64(n.Late) > mostLate*float64(n.Packets) {
		out = append(out, facts.T("lab.line-late", text.Count(n.Late), text.Count(n.Packets), fmt.Sprint(delay.LateAfter)))
	}
	if n.Dropped > 0 {
		out = append(out, facts.T("lab.line-dropped", text.Count(n.Dropped), text.Count(n.Packets)))
	}
	return out
}

// distanceFile has the distance of the last `up`; it is relative to the root.
const distanceFile = "var/distance.json"

// keepDistance stores the distance of an `up` for Far; without one it removes that of an earlier `up`.
func (l *Lab) keepDistance(d facts.Distance) error {
	path := filepath.Join(l.Root, distanceFile)
	if !d.Any() {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return rooted.WriteFile(path, append(text, '\n'))
}

// UpDistance is the distance of the last `up` of a checkout; its zero value where it had none.
func UpDistance(root string) (d facts.Distance, err error) {
	if root == "" {
		return d, nil
	}
	text, err := os.ReadFile(filepath.Join(root, distanceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return d, fmt.Errorf("the distance of `up` can't be read: %w; give one: h2lab delay --rtt 20ms -- COMMAND", err)
	}
	return d, nil
}

// lineWorks opens and closes a line, so that `up` with a distance fails before it starts servers.
func (l *Lab) lineWorks(d facts.Distance) error {
	if !d.Any() {
		return nil
	}
	line, err := delay.Beside(delay.Of(d))
	if err != nil {
		return exitstatus.Lacks(err)
	}
	line.Close()
	return nil
}

// besideALine explains the error of a namespace in which 127.0.0.1 is no address.
func besideALine(err error) error {
	if !system.NoAddress.Is(err) {
		return err
	}
	return fmt.Errorf("127.0.0.1 is no address of this network namespace, such as that of a command of h2lab delay: run "+
		"h2lab delay outside of it, with --rtt for the whole distance (%w)", err)
}

// interruptedFor is how long a command may take to end after Ctrl-C or SIGTERM.
const interruptedFor = 10 * time.Second

// Far runs a command at the far end of a line from this network namespace and returns its exit status.
// No process that the command started outlives it, since the line ends then.
func (l *Lab) Far(ctx context.Context, d facts.Distance, argv []string) (status int, err error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return 0, exitstatus.Lacks(fmt.Errorf("the command can't be run: %w; give the name of a program in PATH, or its path",
			err))
	}
	line := delay.Of(d)
	line.Seed = rand.Uint64()
	far, err := delay.Beside(line)
	if err != nil {
		return 0, exitstatus.Lacks(besideALine(err))
	}
	defer far.Close()
	// A command that reads from a terminal must be in its foreground process group, which h2lab is in.
	interactive := term.IsTerminal(int(os.Stdin.Fd()))
	c, err := child.Start(child.Spec{Argv: argv, Dir: ".", Stdin: os.Stdin, Stdout: l.Stdout, Stderr: l.Stderr,
		Foreground: interactive, EndsWithUs: true, Start: far.Start})
	if err != nil {
		return 0, fmt.Errorf("%s can't be started: %w", argv[0], err)
	}
	select {
	case <-c.Exited():
	case <-far.Broken(): // warnings have the reason
		err = errors.New("the command was ended, because its line to this machine's servers ended")
	case <-ctx.Done():
		err = ctx.Err()
		if interactive && child.Await(child.Cleanup(ctx), interruptedFor, func() bool { return !c.Alive() }) {
			err = nil // the terminal has sent Ctrl-C to the command, too, and it has ended by itself
		}
	}
	stopped := c.Stop(child.Cleanup(context.WithoutCancel(ctx)), child.Manner{Grace: interruptedFor, Group: true})
	for _, w := range (farEnd{far}).warnings() {
		l.warn(w)
	}
	return c.Status(), errors.Join(err, stopped)
}

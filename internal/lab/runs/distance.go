package runs

import (
	"fmt"
	"os/exec"
	"slices"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/delay"
	"h2lab/internal/lab/native"
)

// apart reports whether a run needs a line. All its clients then cross the line, except those of cells without a
// distance in SWEEP=matters (placeBench.benchFor).
func apart(cells []facts.Planned) bool {
	return slices.ContainsFunc(cells, func(c facts.Planned) bool { return c.Workload.Distance.Any() })
}

// distant continues a run over a distance in a network namespace of its own, as the same process.
// prepare makes what needs the host's network before that. The caller has settled the seed.
func (l *Lab) distant(apart bool, seed uint64, prepare func() error) error {
	if !apart || delay.Entered() {
		return nil
	}
	if _, err := l.locked(func() (string, error) {
		if err := l.idle(); err != nil {
			return "", err
		}
		return "", prepare()
	}); err != nil {
		return err
	}
	return exitstatus.Lacks(delay.Enter(fmt.Sprintf("SEED=%d", seed)))
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

// openLine joins the clients' namespace to this one where a run needs it. Each trial sets its distance.
func openLine(apart bool, seed uint64) (farEnd, error) { return openBy(delay.Open, apart, seed) }

// openLineFor does the same in the pod, too, whose namespace is the run's own already.
func openLineFor(q Request, apart bool) (farEnd, error) {
	if q.Runtime == pod {
		return openBy(besideClients, apart, q.Knobs.Seed)
	}
	return openLine(apart, q.Knobs.Seed)
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

func openBy(open func(delay.Line) (*delay.Far, error), apart bool, seed uint64) (farEnd, error) {
	if !apart {
		return farEnd{}, nil
	}
	line, err := open(delay.Line{Seed: seed})
	if err != nil {
		return farEnd{}, exitstatus.Lacks(err)
	}
	return farEnd{line}, nil
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
func (f farEnd) warnings() (out []string) {
	if f.line == nil {
		return nil
	}
	if err := f.line.Err(); err != nil {
		out = append(out, err.Error())
	}
	n := f.line.Counts()
	if float64(n.Late) > mostLate*float64(n.Packets) {
		out = append(out, fmt.Sprintf("the delay line held %s of %s packets more than %s too long: the processors "+
			"were busy, so latencies are longer than the distance makes them", numfmt.Count(n.Late),
			numfmt.Count(n.Packets), delay.LateAfter))
	}
	if n.Dropped > 0 {
		out = append(out, fmt.Sprintf("the delay line dropped %s of %s packets because its queue was full",
			numfmt.Count(n.Dropped), numfmt.Count(n.Packets)))
	}
	return out
}

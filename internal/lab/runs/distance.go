package runs

import (
	"fmt"
	"os/exec"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/numfmt"
	"h2lab/internal/lab/delay"
	"h2lab/internal/lab/plan"
)

// onlyNative says which knobs ask for the native runtime, or "".
func onlyNative(k plan.Knobs) string {
	if !k.Line().Any() {
		return ""
	}
	return "a distance (RTT, JITTER, LOSS, BANDWIDTH) isn't measured in the pod"
}

// distant continues a run over a distance in a network namespace of its own, as the same process.
// prepare makes what needs the host's network before that.
func (l *Lab) distant(k plan.Knobs, prepare func() error) error {
	if !k.Line().Any() || delay.Entered() {
		return nil
	}
	if _, err := l.locked(func() (string, error) { return "", prepare() }); err != nil {
		return err
	}
	return exitstatus.Lacks(delay.Enter(fmt.Sprintf("SEED=%d", k.Seed)))
}

// farEnd is where clients run: at the far end of a line, or beside h2lab.
type farEnd struct{ line *delay.Far }

// openLine joins the clients' namespace to this one where the knobs ask for a distance.
func openLine(k plan.Knobs) (farEnd, error) {
	if !k.Line().Any() {
		return farEnd{}, nil
	}
	line, err := delay.Open(delay.Of(k.Line(), k.Seed))
	if err != nil {
		return farEnd{}, exitstatus.Lacks(err)
	}
	return farEnd{line}, nil
}

// start starts a client there; nil is beside h2lab.
func (f farEnd) start() func(*exec.Cmd) error {
	if f.line == nil {
		return nil
	}
	return f.line.Start
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

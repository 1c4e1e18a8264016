package runverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// slower is the ratio of two p99s from which the report calls one of them slower. It is a choice: a new
// connection's handshake multiplies a request's time, and protocols or proxies without the fault differ
// by less.
const slower = 1.25

// quickSlower is the same for samples too small for an interval, so that a single unlucky trial is no
// finding.
const quickSlower = 2

// reached is the share of the rate from which goodput counts as the rate.
const reached = 0.98

// tail compares the 99th percentiles of two cells. The ratio, its interval and its significance come
// from the trials' own percentiles, the values in the text from the merged histograms.
type tail struct {
	slow, fast found
	statistics.Comparison
}

// tails compares two cells, or says which has no p99.
func (f runFacts) tails(slow, fast found) (tail, *finding) {
	t := tail{slow, fast, statistics.Compare(core.Sample(slow.Trials, core.P99), core.Sample(fast.Trials, core.P99))}
	for _, c := range []found{slow, fast} {
		if core.P99Of(c.Summary) == nil || t.Ratio == nil {
			return t, &finding{Status: facts.Inconclusive,
				Actual: facts.T("verdict.cell-too-few-successful", c.ID()),
				Next:   facts.T("verdict.look-errors"), Evidence: f.Evidence(t.places()...)}
		}
	}
	return t, nil
}

// tailOf compares HTTP/2 with HTTP/1.1 on one topology.
func (f runFacts) tailOf(topology string, c facts.Client) (tail, *finding) {
	h2, lack := f.Cell(topology, facts.H2, c)
	if lack != nil {
		return tail{}, lack
	}
	h1, lack := f.Cell(topology, facts.H1, c)
	if lack != nil {
		return tail{}, lack
	}
	return f.tails(h2, h1)
}

func (t tail) places() []string {
	var out []string
	for _, c := range []found{t.slow, t.fast} {
		out = append(out, c.See("/summary/p99_ms/median", "/summary/merged_ms/p99", "/trials/0/schedule/not_started")...)
	}
	return out
}

// slower reports whether the first cell's p99 is above the second's: yes if certainly, no if certainly
// not. If both are false, the samples don't decide.
func (t tail) slower() (yes, no bool) {
	if t.Lo == nil || t.Hi == nil {
		return *t.Ratio >= quickSlower, *t.Ratio <= slower
	}
	yes = t.Significant && *t.Lo > slower
	return yes, !yes && *t.Ratio <= slower
}

// account describes the comparison; who and than name the two cells.
func (t tail) account(who, than string) facts.Text {
	said := facts.T("verdict.p99-ms-against-ms", who, p99(t.slow),
		p99(t.fast), than, core.Count(t.slow.Workload.RatePerS), core.Ratio(t.Comparison))
	if a, b := t.slow.Summary.MergedMS, t.fast.Summary.MergedMS; a != nil && b != nil && a.P999 != nil && b.P999 != nil {
		said.Add(facts.T("verdict.p99-9-ms-against", text.Measured(*a.P999), text.Measured(*b.P999)))
	}
	for _, c := range []found{t.slow, t.fast} {
		said.Add(short(c))
	}
	return said
}

func p99(c found) string { return text.Maybe(core.P99Of(c.Summary), text.Measured) }

// short says what a cell's servers did not manage of the rate.
func short(c found) (said facts.Text) {
	if g := c.Summary.GoodputRPS.Median; g != nil && *g < reached*c.Workload.RatePerS {
		said = facts.T("verdict.answered-requests-s", c.ID(), core.Count(*g), core.Count(c.Workload.RatePerS))
	}
	if left, due := core.Unsent(c.Cell); left > 0 {
		said.Add(facts.T("verdict.cell-requests-due-never", c.ID(), core.Count(float64(left)), core.Count(float64(due))))
	}
	return said
}

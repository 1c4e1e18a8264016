package runverdicts

import (
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// dropped is the share of HTTP/1.1's goodput below which the report calls it a drop. The cured pair
// of the original demonstration has 0.98; 0.95 leaves room for the difference between two protocols
// without any fault.
const dropped = 0.95

// recovered is the share from which the drop is gone: twice as far from 1 as dropped, since
// protocols and proxies differ a little in the cost of a request, and far above the fault's 0.4 to
// 0.7.
const recovered = 0.9

// quickDropped is the share that samples too small for an interval must fall below. It is a choice:
// nearer to the fault's 0.4 to 0.7 than to 1, so that a single unlucky trial doesn't make a drop.
const quickDropped = 0.8

var original = facts.T("verdict.original-demonstration-0-41")

// pair is one client's goodput over h2 compared with h1, on one topology.
type pair struct {
	h1, h2 found
	statistics.Comparison
}

func (f runFacts) protocols(topology string, c facts.Client) (pair, *finding) {
	h2, lack := f.Cell(topology, facts.H2, c)
	if lack != nil {
		return pair{}, lack
	}
	h1, lack := f.Cell(topology, facts.H1, c)
	if lack != nil {
		return pair{}, lack
	}
	p := pair{h1: h1, h2: h2, Comparison: statistics.Compare(core.Sample(h2.Trials, core.Goodput),
		core.Sample(h1.Trials, core.Goodput))}
	if p.Ratio == nil {
		return pair{}, &finding{Status: facts.Inconclusive,
			Actual: facts.T("verdict.cell-no-successful-request", h1.ID()),
			Next:   facts.T("verdict.look-errors"), Evidence: f.Evidence(p.places()...)}
	}
	return p, nil
}

func (p pair) places() []string {
	return append(p.h2.See("/summary/goodput_rps/median"), p.h1.See("/summary/goodput_rps/median")...)
}

// account describes the pair.
func (p pair) account() facts.Text {
	return facts.T("verdict.h2-delivered-h1s-goodput", core.Ratio(p.Comparison),
		string(p.h2.Client),
		core.Count(*p.h2.Summary.GoodputRPS.Median), core.Count(*p.h1.Summary.GoodputRPS.Median))
}

// drop reports whether h2 is slower than h1 by more than dropped: yes if certainly, no if certainly
// not. If both are false, the samples don't decide.
func (p pair) drop() (yes, no bool) {
	if p.Lo == nil || p.Hi == nil { // too few trials for an interval
		return *p.Ratio < quickDropped, *p.Ratio >= dropped
	}
	yes = p.Significant && *p.Hi < dropped
	return yes, !yes && *p.Ratio >= dropped
}

// others lists the ratios of the other clients that share a pool, for comparison.
func (f runFacts) others(topology string) facts.Text {
	var out []facts.Text
	for _, c := range []facts.Client{facts.GoReplayable, facts.GoOnce} {
		if p, lack := f.protocols(topology, c); lack == nil {
			out = append(out, facts.Join("", facts.Verbatim(string(c)+" "), core.Ratio(p.Comparison)))
		}
	}
	return facts.Join("join.list", out...)
}

// whyFast gives the likely reasons that a stampede cost no throughput.
func (f runFacts) whyFast(cell found) facts.Text {
	var out []facts.Text
	if l, lack := f.connections(cell.Topology, cell.Client); lack == nil && !l.stampede() {
		reason, _ := l.whyNone()
		out = append(out, facts.T("verdict.no-stampede", reason))
	}
	if f.Result.Run.CPUs == nil || slices.ContainsFunc(f.Result.Environment.Servers,
		func(s facts.ServerRecord) bool { return s.CPUs == nil }) {
		out = append(out, facts.T("verdict.no-cpu-limit-so"))
	}
	if f.Result.Run.Key == "ecdsa" {
		out = append(out, facts.T("verdict.ecdsa-keys-whose-handshakes"))
	}
	if resumed(cell) {
		out = append(out, facts.T("verdict.resumed-tls-sessions-which"))
	}
	if f.Result.Environment.Cores > 0 && f.Result.Environment.Cores <= 2 {
		out = append(out, facts.T("verdict.few-cores-where-client"))
	}
	if out == nil {
		return facts.T("verdict.run-doesnt-show-cause")
	}
	return facts.T("verdict.likely-cause", facts.Join("join.semicolon", out...))
}

func resumed(c found) bool {
	return slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.TLS.Resumed != nil && *t.TLS.Resumed > 0 })
}

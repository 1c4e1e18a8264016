package runverdicts

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
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

const original translations.Phrase = "the original demonstration had 0.41 at 1000 and 0.98 at 100000"

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
			Actual: f.Say("cell %s has no successful request, so there is no ratio", h1.ID()),
			Next:   f.Say("Look at its errors."), Evidence: f.Evidence(p.places()...)}
	}
	return p, nil
}

func (p pair) places() []string {
	return append(p.h2.See("/summary/goodput_rps/median"), p.h1.See("/summary/goodput_rps/median")...)
}

// account describes the pair.
func (p pair) account() string {
	return p.h2.Say("h2 delivered %s of h1's goodput with %s (%s against %s requests/s)", p.h2.Ratio(p.Comparison),
		p.h2.Client,
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
func (f runFacts) others(topology string) string {
	var out []string
	for _, c := range []facts.Client{facts.GoReplayable, facts.GoOnce} {
		if p, lack := f.protocols(topology, c); lack == nil {
			out = append(out, fmt.Sprintf("%s %s", c, f.Ratio(p.Comparison)))
		}
	}
	return f.List(out)
}

// whyFast gives the likely reasons that a stampede cost no throughput.
func (f runFacts) whyFast(cell found) string {
	var out []string
	if l, lack := f.connections(cell.Topology, cell.Client); lack == nil && !l.stampede() {
		reason, _ := l.whyNone()
		out = append(out, f.Say("no stampede (%s)", reason))
	}
	if f.Result.Run.CPUs == nil || slices.ContainsFunc(f.Result.Environment.Servers,
		func(s facts.ServerRecord) bool { return s.CPUs == nil }) {
		out = append(out, f.Say("no CPU limit, so the proxy has processor time to spare for the handshakes"))
	}
	if f.Result.Run.Key == "ecdsa" {
		out = append(out, f.Say("ECDSA keys, whose handshakes are cheaper than RSA's"))
	}
	if resumed(cell) {
		out = append(out, f.Say("resumed TLS sessions, which skip the expensive part of the handshake"))
	}
	if f.Result.Environment.Cores > 0 && f.Result.Environment.Cores <= 2 {
		out = append(out, f.Say("few cores, where the client is the bottleneck for both protocols"))
	}
	if out == nil {
		return f.Say("this run doesn't show the cause")
	}
	return f.Say("likely cause: %s", strings.Join(out, f.Say("; ")))
}

func resumed(c found) bool {
	return slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.TLS.Resumed != nil && *t.TLS.Resumed > 0 })
}

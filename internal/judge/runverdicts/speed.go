package runverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// throughputDrop: HTTP/2 delivers less than HTTP/1.1 at the same limit; with a topology that cures it: as much.
func throughputDrop(f runFacts) finding {
	p := f.protocols(f.low(), facts.K6SharedPool)
	a := p.finding(f, facts.Reproduced, p.goodputs(), facts.T("verdict.h2-h1-goodput-significantly", core.Fixed(dropped, 2),
		facts.T("verdict.original-demonstration-0-41")))
	a.Next = facts.T("verdict.compare-proxys-cpu-per")
	if more := f.others(f.low()); !more.IsZero() {
		a.Actual.Add(facts.T("verdict.also", more))
	}
	switch yes, no := p.past(dropped, quickDropped); {
	case yes:
	case no:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.set-original-budget")
		a.Actual.Add(facts.T("verdict.also", f.whyFast(p.a)))
	default:
		a = undecided(a)
	}
	return a
}

func dropGone(f runFacts, topology string) finding {
	p := f.protocols(topology, facts.K6SharedPool)
	a := p.finding(f, facts.Fixed, p.goodputs(), facts.T("verdict.h2-h1-goodput-least", core.Fixed(recovered, 2),
		facts.T("verdict.original-demonstration-0-41")))
	before, noBefore := core.Try(func() contrast { return f.protocols(f.low(), facts.K6SharedPool) })
	hadDrop := false
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places...)...)
		a.Actual.Add(facts.T("verdict.had", before.a.Topology, core.Ratio(before.Comparison)))
		hadDrop, _ = before.past(dropped, quickDropped)
	}
	switch {
	case *p.Ratio < recovered && !p.Significant:
		a = undecided(a)
	case *p.Ratio < recovered && stampedeRemains(f, topology):
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-dial-stampede-stampede", topology)
	case *p.Ratio < recovered:
		a = a.Inconclusive(facts.T("verdict.slower-but-without-stampede"), facts.T("verdict.compare-both-cells-cpu"))
	case noBefore != nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare", noBefore.Actual))
	case !hadDrop:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.set-original-budget")
		a.Actual.Add(facts.T("verdict.which-no-significant-drop"))
	}
	return a
}

// stampedeRemains is false if the connections are unknown: then the drop can't be attributed to the
// stampede.
func stampedeRemains(f runFacts, topology string) bool {
	a, lacks := core.Try(func() finding { return stampedeGone(f, topology) })
	return lacks == nil && a.Status == facts.Reproduced
}

// dearer is the ratio of processor time per request, low limit to high limit, from which the
// difference counts as a cost of the fault. It is a choice: a difference below 5 % may be
// significant but doesn't matter in practice.
const dearer = 1.05

// handshakeCost: handshakes cost the proxy processor time.
func handshakeCost(f runFacts) finding {
	low := f.Cell(f.low(), facts.H2, facts.K6SharedPool)
	high := f.Cell(highLimit, facts.H2, facts.K6SharedPool)
	for _, c := range []found{low, high} {
		if _, ok := core.Known(c.Summary.ProxyCPUMSPerRequest); !ok {
			return finding{Status: facts.Inconclusive,
				Actual:   facts.T("verdict.proxys-cpu-time-cell", c.ID()),
				Next:     facts.T("verdict.run-where-h2lab-may-read"),
				Evidence: f.Evidence(c.See("/trials/0/cpu_s")...)}
		}
	}
	cmp := statistics.Compare(core.Sample(low.Trials, core.ProxyMSPerRequest),
		core.Sample(high.Trials, core.ProxyMSPerRequest))
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.significantly-more-than-proxy", core.Fixed(dearer, 2), highLimit),
		Actual: facts.T("verdict.ms-proxy-cpu-request", core.Fixed(*low.Summary.ProxyCPUMSPerRequest.Median, 3),
			core.Fixed(*high.Summary.ProxyCPUMSPerRequest.Median, 3), core.Ratio(cmp), perWaste(low, high)),
		Evidence: f.Evidence(append(low.See("/summary/proxy_cpu_ms_per_request/median"),
			high.See("/summary/proxy_cpu_ms_per_request/median")...)...),
		Warnings: append(f.FewTrials(low.Summary.ProxyCPUMSPerRequest, high.Summary.ProxyCPUMSPerRequest), cmp.Warnings...),
	}
	switch {
	case cmp.Ratio == nil || cmp.Lo == nil:
		a.Status, a.Next = facts.Inconclusive, facts.T("verdict.raise-trials-to-six")
	case !cmp.Significant || *cmp.Ratio <= dearer:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-dial-stampede-without")
	case *cmp.Lo <= dearer:
		a.Status, a.Next = facts.Inconclusive, facts.T("verdict.raise-trials-or-duration")
	}
	return a
}

// perWaste divides the extra cost of the low limit by the connections that were opened and not
// used.
func perWaste(low, high found) (text facts.Text) {
	wasted := 0.0
	requests := 0.0
	for _, t := range low.Trials {
		if t.Connections.Accepted == nil || t.Connections.Used == nil {
			return facts.Text{}
		}
		wasted += float64(*t.Connections.Accepted - *t.Connections.Used)
		requests += float64(t.Succeeded)
	}
	more := (*low.Summary.ProxyCPUMSPerRequest.Median - *high.Summary.ProxyCPUMSPerRequest.Median) * requests
	if wasted < 1 || more <= 0 {
		return facts.Text{}
	}
	return facts.T("verdict.about-ms-each-unused", core.Fixed(more/wasted, 1))
}

// undecided is a finding whose difference may be chance.
func undecided(a finding) finding {
	a = a.Inconclusive(facts.T("verdict.difference-not-significant"), facts.T("verdict.raise-trials-or-duration-idle"))
	return a
}

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

// contrast compares one number of two cells.
type contrast struct {
	a, b found
	statistics.Comparison
	estimates []facts.Estimate
	places    []string
}

func compared(a, b found, of func(facts.Trial) *float64, estimate func(facts.Summary) facts.Estimate, places ...string) contrast {
	return contrast{a, b, statistics.Compare(core.Sample(a.Trials, of), core.Sample(b.Trials, of)),
		[]facts.Estimate{estimate(a.Summary), estimate(b.Summary)}, append(a.See(places...), b.See(places...)...)}
}

// finding begins the answer of a rule on the comparison.
func (c contrast) finding(f runFacts, status facts.Status, actual, expected facts.Text) finding {
	return finding{Status: status, Expected: expected, Actual: actual, Evidence: f.Evidence(c.places...),
		Warnings: append(f.FewTrials(c.estimates...), c.Warnings...)}
}

// past reports whether the ratio is past a share, seen from 1: yes if certainly, no if certainly not. If both are false, the
// samples don't decide. Where they are too small for an interval, the ratio must be past quick.
func (c contrast) past(share, quick float64) (yes, no bool) {
	past, bound := func(ratio, of float64) bool { return ratio < of }, c.Hi
	if share > 1 {
		past, bound = func(ratio, of float64) bool { return ratio > of }, c.Lo
	}
	if bound == nil {
		return past(*c.Ratio, quick), !past(*c.Ratio, share)
	}
	yes = c.Significant && past(*bound, share)
	return yes, !yes && !past(*c.Ratio, share)
}

// protocols compares one client's goodput over h2 with that over h1, on one topology.
func (f runFacts) protocols(topology string, client facts.Client) contrast {
	c := compared(f.Cell(topology, facts.H2, client), f.Cell(topology, facts.H1, client), core.Goodput,
		func(s facts.Summary) facts.Estimate { return s.GoodputRPS }, "/summary/goodput_rps/median")
	if c.Ratio == nil {
		core.Lack(finding{Actual: facts.T("verdict.cell-no-successful-request", c.b.ID()),
			Next: facts.T("verdict.look-errors"), Evidence: f.Evidence(c.places...)})
	}
	return c
}

// goodputs describes a comparison of goodputs.
func (c contrast) goodputs() facts.Text {
	return facts.T("verdict.h2-delivered-h1s-goodput", core.Ratio(c.Comparison), string(c.a.Client),
		core.Count(*c.a.Summary.GoodputRPS.Median), core.Count(*c.b.Summary.GoodputRPS.Median))
}

// others lists the ratios of the other clients that share a pool, for comparison.
func (f runFacts) others(topology string) facts.Text {
	var out []facts.Text
	for _, c := range []facts.Client{facts.GoReplayable, facts.GoOnce} {
		if p, lacks := core.Try(func() contrast { return f.protocols(topology, c) }); lacks == nil {
			out = append(out, facts.Join("", facts.Verbatim(string(c)+" "), core.Ratio(p.Comparison)))
		}
	}
	return facts.Join("join.list", out...)
}

// whyFast gives the likely reasons that a stampede cost no throughput.
func (f runFacts) whyFast(cell found) facts.Text {
	var out []facts.Text
	if l, lacks := core.Try(func() ledger { return f.connections(cell.Topology, cell.Client) }); lacks == nil && !l.stampede() {
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

// tailLatency: at the same rate, the slowest HTTP/2 requests take longer than those of HTTP/1.1; with a topology that cures it: no longer.
func tailLatency(f runFacts) finding {
	t := f.tails(f.Cell(f.low(), facts.H2, facts.K6SharedPool), f.Cell(f.low(), facts.H1, facts.K6SharedPool))
	a := t.finding(f, facts.Reproduced, t.p99s("h2", "h1"), facts.T("verdict.h2s-p99-significantly-above", core.Fixed(slower, 2)))
	a.Next = facts.T("verdict.compare-connections-accepted-dial")
	switch yes, no := t.past(slower, quickSlower); {
	case yes:
	case no:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-higher-percentiles-raise")
		a.Actual.Add(facts.T("verdict.also", f.whyShort(t.a)))
	default:
		a = undecided(a)
	}
	return a
}

// whyShort is the likely reason that the fault doesn't show in the p99.
func (f runFacts) whyShort(cell found) facts.Text {
	l, lacks := core.Try(func() ledger { return f.connections(cell.Topology, cell.Client) })
	if lacks != nil {
		return facts.T("verdict.run-doesnt-show-cause")
	}
	if !l.stampede() {
		reason, _ := l.whyNone()
		return facts.T("verdict.no-stampede", reason)
	}
	return facts.T("verdict.fewer-than-one-request")
}

func tailGone(f runFacts, topology string) finding {
	t := f.tails(f.Cell(f.low(), facts.H2, facts.K6SharedPool), f.Cell(topology, facts.H2, facts.K6SharedPool))
	a := t.finding(f, facts.Fixed, t.p99s(t.a.Topology, topology),
		facts.T("verdict.p99-low-limit-significantly", core.Fixed(slower, 2), topology))
	switch yes, no := t.past(slower, quickSlower); {
	case yes:
	case stampedeRemains(f, topology):
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-dial-stampede-stampede", topology)
	case no:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-higher-percentiles-raise")
		a.Actual.Add(facts.T("verdict.nothing-cure", f.whyShort(t.a)))
	default:
		a = undecided(a)
	}
	return a
}

// slower is the ratio of two p99s from which the report calls one of them slower. It is a choice: a new
// connection's handshake multiplies a request's time, and protocols or proxies without the fault differ
// by less.
const slower = 1.25

// quickSlower is the same for samples too small for an interval, so that a single unlucky trial is no
// finding.
const quickSlower = 2

// reached is the share of the rate from which goodput counts as the rate.
const reached = 0.98

// tails compares the 99th percentiles of two cells, or says which has none. The ratio, its interval and its significance come
// from the trials' own percentiles, the values in the text from the merged histograms.
func (f runFacts) tails(slow, fast found) contrast {
	t := compared(slow, fast, core.P99, func(s facts.Summary) facts.Estimate { return s.P99MS }, "/summary/p99_ms/median",
		"/summary/merged_ms/p99", "/trials/0/schedule/not_started")
	for _, c := range []found{slow, fast} {
		if core.P99Of(c.Summary) == nil || t.Ratio == nil {
			core.Lack(finding{Actual: facts.T("verdict.cell-too-few-successful", c.ID()),
				Next: facts.T("verdict.look-errors"), Evidence: f.Evidence(t.places...)})
		}
	}
	return t
}

// p99s describes a comparison of 99th percentiles; who and than name the two cells.
func (t contrast) p99s(who, than string) facts.Text {
	said := facts.T("verdict.p99-ms-against-ms", who, p99(t.a),
		p99(t.b), than, core.Count(t.a.Workload.RatePerS), core.Ratio(t.Comparison))
	if a, b := t.a.Summary.MergedMS, t.b.Summary.MergedMS; a != nil && b != nil && a.P999 != nil && b.P999 != nil {
		said.Add(facts.T("verdict.p99-9-ms-against", text.Measured(*a.P999), text.Measured(*b.P999)))
	}
	for _, c := range []found{t.a, t.b} {
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

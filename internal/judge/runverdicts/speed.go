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
	a := finding{
		Status: facts.Reproduced,
		Expected: facts.T("verdict.h2-h1-goodput-significantly", core.Fixed(dropped, 2),
			facts.T("verdict.original-demonstration-0-41")),
		Actual:   p.account(),
		Next:     facts.T("verdict.compare-proxys-cpu-per"),
		Evidence: f.Evidence(p.places()...),
		Warnings: f.FewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS),
	}
	a.Warnings = append(a.Warnings, p.Warnings...)
	if more := f.others(f.low()); !more.IsZero() {
		a.Actual.Add(facts.T("verdict.also", more))
	}
	switch yes, no := p.drop(); {
	case yes:
	case no:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.set-original-budget")
		a.Actual.Add(facts.T("verdict.also", f.whyFast(p.h2)))
	default:
		a = undecided(a)
	}
	return a
}

func dropGone(f runFacts, topology string) finding {
	p := f.protocols(topology, facts.K6SharedPool)
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.h2-h1-goodput-least", core.Fixed(recovered, 2), facts.T("verdict.original-demonstration-0-41")),
		Actual:   p.account(),
		Evidence: f.Evidence(p.places()...),
		Warnings: append(f.FewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS), p.Warnings...),
	}
	before, noBefore := core.Try(func() pair { return f.protocols(f.low(), facts.K6SharedPool) })
	hadDrop := false
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual.Add(facts.T("verdict.had", before.h2.Topology, core.Ratio(before.Comparison)))
		hadDrop, _ = before.drop()
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

// pair is one client's goodput over h2 compared with h1, on one topology.
type pair struct {
	h1, h2 found
	statistics.Comparison
}

func (f runFacts) protocols(topology string, c facts.Client) pair {
	p := pair{h2: f.Cell(topology, facts.H2, c), h1: f.Cell(topology, facts.H1, c)}
	p.Comparison = statistics.Compare(core.Sample(p.h2.Trials, core.Goodput), core.Sample(p.h1.Trials, core.Goodput))
	if p.Ratio == nil {
		core.Lack(finding{Actual: facts.T("verdict.cell-no-successful-request", p.h1.ID()),
			Next: facts.T("verdict.look-errors"), Evidence: f.Evidence(p.places()...)})
	}
	return p
}

func (p pair) places() []string {
	return append(p.h2.See("/summary/goodput_rps/median"), p.h1.See("/summary/goodput_rps/median")...)
}

// account describes the pair.
func (p pair) account() facts.Text {
	return facts.T("verdict.h2-delivered-h1s-goodput", core.Ratio(p.Comparison), string(p.h2.Client),
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
		if p, lacks := core.Try(func() pair { return f.protocols(topology, c) }); lacks == nil {
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
	a := finding{
		Status:   facts.Reproduced,
		Expected: facts.T("verdict.h2s-p99-significantly-above", core.Fixed(slower, 2)),
		Actual:   t.account("h2", "h1"),
		Next:     facts.T("verdict.compare-connections-accepted-dial"),
		Evidence: f.Evidence(t.places()...),
		Warnings: append(f.FewTrials(t.slow.Summary.P99MS, t.fast.Summary.P99MS), t.Warnings...),
	}
	switch yes, no := t.slower(); {
	case yes:
	case no:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-higher-percentiles-raise")
		a.Actual.Add(facts.T("verdict.also", f.whyShort(t.slow)))
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
	low := f.Cell(f.low(), facts.H2, facts.K6SharedPool)
	cured := f.Cell(topology, facts.H2, facts.K6SharedPool)
	t := f.tails(low, cured)
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.p99-low-limit-significantly", core.Fixed(slower, 2), topology),
		Actual:   t.account(low.Topology, topology),
		Evidence: f.Evidence(t.places()...),
		Warnings: append(f.FewTrials(t.slow.Summary.P99MS, t.fast.Summary.P99MS), t.Warnings...),
	}
	switch yes, no := t.slower(); {
	case yes:
	case stampedeRemains(f, topology):
		a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-dial-stampede-stampede", topology)
	case no:
		a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-higher-percentiles-raise")
		a.Actual.Add(facts.T("verdict.nothing-cure", f.whyShort(low)))
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

// tail compares the 99th percentiles of two cells. The ratio, its interval and its significance come
// from the trials' own percentiles, the values in the text from the merged histograms.
type tail struct {
	slow, fast found
	statistics.Comparison
}

// tails compares two cells, or says which has no p99.
func (f runFacts) tails(slow, fast found) tail {
	t := tail{slow, fast, statistics.Compare(core.Sample(slow.Trials, core.P99), core.Sample(fast.Trials, core.P99))}
	for _, c := range []found{slow, fast} {
		if core.P99Of(c.Summary) == nil || t.Ratio == nil {
			core.Lack(finding{Actual: facts.T("verdict.cell-too-few-successful", c.ID()),
				Next: facts.T("verdict.look-errors"), Evidence: f.Evidence(t.places()...)})
		}
	}
	return t
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

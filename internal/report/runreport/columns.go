package runreport

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
)

// column is one column of the tables: its head, its meaning, and how it writes a cell. The glossary
// uses the same list, so that it explains every column.
type column struct {
	head    translations.Phrase
	meaning translations.Phrase
	left    bool // text is aligned left, numbers right
	cell    func(*page, row) string
	// raw is the place of the numbers within a cell of results.json: a JSON pointer in which *
	// stands for each trial. Empty for text.
	raw string
}

// callers returns the columns of what the callers of a run received.
func callers(run *facts.Result) []column {
	out := []column{
		{"run.topology", "run.path-backend-number-name", true, topologyCell, ""},
		{"run.protocol", "run.protocol-between-client", true,
			func(_ *page, r row) string { return escape(string(r.Protocol)) }, ""},
		{"run.goodput-req-s", "run.successful-requests-per", false, goodputCell, "/trials/*/goodput_rps"},
		{"run.h2-h1", "run.rows-goodput-divided-same", false, ratioCell, "/trials/*/goodput_rps"},
		{"run.p50-ms", "run.median-latency-successful", false,
			latencyCell(core.P50Of, func(s *facts.Summary) facts.Estimate { return s.P50MS }), "/trials/*/latency_ms/p50"},
		{"run.p99-ms", "run.99th-percentile-latency", false,
			latencyCell(core.P99Of, func(s *facts.Summary) facts.Estimate { return s.P99MS }),
			"/trials/*/latency_ms/p99"},
		{"run.failed", "run.requests-failed-trial", false, failedCell, "/trials/*/errors"},
		{"run.duplicates", "run.requests-backend-executed",
			false, estimateCell(func(s *facts.Summary) facts.Estimate { return s.Duplicates }, whole),
			"/trials/*/backend/duplicates"},
	}
	if run == nil {
		return out
	}
	if core.HasHistograms(run) {
		out[4].meaning = "run.median-latency-successful-requests"
		out[5].meaning = "run.99th-percentile-latency-successful"
	}
	if core.OpenLoop(run) {
		out[3] = column{"run.p99-h2-h1", "run.rows-p99-divided-same", false, tailRatioCell, "/trials/*/latency_ms/p99"}
	}
	return out
}

// servers returns the columns of what the servers spent.
func servers() []column {
	estimate := func(of func(*facts.Summary) facts.Estimate) func(*page, row) string { return estimateCell(of, whole) }
	return []column{
		callers(nil)[0], callers(nil)[1],
		{"run.accepted", "run.connections-front-accepted", false,
			estimate(func(s *facts.Summary) facts.Estimate { return s.Accepted }), "/trials/*/connections/accepted"},
		{"run.used", "run.connections-carried-first", false, usedCell, "/trials/*/connections/used"},
		{"run.expected", "run.connections-many-requests", false,
			estimate(func(s *facts.Summary) facts.Estimate { return s.Expected }), "/trials/*/connections/expected"},
		{"run.waste", "run.1-used-accepted-over", false,
			func(_ *page, r row) string { return percent(r.Summary.Waste) }, "/trials/*/connections"},
		{"run.accepted-per-1000", "run.accepted-connections-per", false,
			func(_ *page, r row) string { return measure(median(r.sample(per1000(accepted)))) },
			"/trials/*/connections/accepted"},
		{"run.client-saw", "run.new-connections-client", false, clientSaw, "/trials/*/connections"},
		{"run.cold-start", "run.connections-accepted-warm", false,
			estimate(func(s *facts.Summary) facts.Estimate { return s.ColdAccepted }), "/trials/*/cold_start"},
		{"run.proxy-cpu-ms-per", "run.processor-time-all-proxies", false, proxyCPU, "/trials/*/cpu_s/proxy"},
	}
}

func topologyCell(p *page, r row) string {
	name := code(r.Topology)
	var warn []string
	if c, e := r.Limit.Configured, r.Limit.Effective; c != nil && e != nil && *c != *e {
		warn = append(warn, p.Say("run.over-requests-connection", r.Topology, r.Protocol, text.Count(*c), text.Count(*e)))
	}
	return name + p.Notes.Ref(warn...)
}

func goodputCell(p *page, r row) string {
	if r.Unsupported != "" {
		return p.Say("verdict.unsupported") + p.Notes.Ref(p.Say("run.cant-run-here", r.Topology, p.Recorded(r.Unsupported)))
	}
	e := r.Summary.GoodputRPS
	if len(r.Trials) == 0 {
		return dash + p.Notes.Ref(p.Say("run.planned-but-no-trial", r.ID()))
	}
	return stacked(whole(e.Median)+interval(e.Lo, e.Hi, whole)) +
		p.Notes.Ref(append(p.Language.AllIn(e.Warnings), p.TrialWarnings(r.Cell, r.Summary.Outliers)...)...)
}

func ratioCell(p *page, r row) string { return p.ratioTo(r, r.againstH1()) }

func tailRatioCell(p *page, r row) string { return p.ratioTo(r, r.tailAgainstH1()) }

func (p *page) ratioTo(r row, c *statistics.Comparison) string {
	if r.Protocol == facts.H1 {
		return "1"
	}
	if c == nil {
		return dash
	}
	return stacked(times(c)) + p.Note(c.Warnings)
}

// latencyCell writes a percentile of all requests. Without histograms it is the median of the trials'
// percentiles, with its warnings.
func latencyCell(all func(facts.Summary) *float64, of func(*facts.Summary) facts.Estimate) func(*page, row) string {
	return func(p *page, r row) string {
		if r.Summary.MergedMS == nil {
			return estimateCell(of, measure)(p, r) + p.Notes.Ref(append(p.LateTrials(r.Cell), p.notMerged(r))...)
		}
		return measure(all(r.Summary)) + p.Notes.Ref(append(p.LateTrials(r.Cell), p.Unsent(r.Cell))...)
	}
}

// estimateCell writes a median with its warnings.
func estimateCell(of func(*facts.Summary) facts.Estimate, write func(*float64) string) func(*page, row) string {
	return func(p *page, r row) string {
		e := of(&r.Summary)
		if e.Median == nil {
			return dash
		}
		return write(e.Median) + p.Note(e.Warnings)
	}
}

// used is the number of connections that carried their first request in the window. An HTTP/1.1
// pool may open many connections in the warm-up and first use them in the window. Then used exceeds
// accepted and says nothing, so it is nil.
func (r row) used() *float64 {
	a, u := r.Summary.Accepted.Median, r.Summary.Used.Median
	if r.Protocol == facts.H1 && a != nil && u != nil && *u > *a {
		return nil
	}
	return u
}

func usedCell(p *page, r row) string {
	if r.used() == nil {
		return dash
	}
	return whole(r.used()) + p.Note(r.Summary.Used.Warnings)
}

func proxyCPU(p *page, r row) string {
	e := r.Summary.ProxyCPUMSPerRequest
	if e.Median == nil {
		return dash
	}
	v := *e.Median * 1000
	return measure(&v) + p.Note(e.Warnings)
}

// classes returns the causes of a cell's failures in the order of lab.ErrorClasses, with their
// counts over all trials.
func classes(c *facts.Cell) (names []string, counts map[string]int64) {
	counts = map[string]int64{}
	for _, t := range c.Trials {
		for _, e := range t.Errors {
			if !slices.Contains(facts.ErrorClasses, e.Class) && counts[e.Class] == 0 {
				names = append(names, e.Class)
			}
			counts[e.Class] += e.Count
		}
	}
	var known []string
	for _, class := range facts.ErrorClasses {
		if counts[class] > 0 {
			known = append(known, class)
		}
	}
	return append(known, names...), counts
}

func failedCell(p *page, r row) string {
	e := r.Summary.Failed
	if e.Median == nil {
		return dash
	}
	names, counts := classes(r.Cell)
	out := whole(e.Median)
	if len(names) == 1 {
		return out + "<br>" + escape(names[0]) + p.Note(e.Warnings)
	}
	var total int64
	for _, n := range counts {
		total += n
	}
	var parts []string
	for _, n := range names {
		share := float64(counts[n]) / float64(total)
		parts = append(parts, escape(n)+" "+percent(&share))
	}
	if len(parts) > 0 {
		out += "<br>" + strings.Join(parts, "<br>")
	}
	return out + p.Note(e.Warnings)
}

func clientSaw(p *page, r row) string {
	toFloat := func(of func(facts.Trial) *int64) func(facts.Trial) *float64 {
		return func(t facts.Trial) *float64 {
			if n := of(t); n != nil {
				return new(float64(*n))
			}
			return nil
		}
	}
	if v := median(r.sample(toFloat(func(t facts.Trial) *int64 { return t.Connections.Dialled }))); v != nil {
		return p.Say("run.dialled", whole(v))
	}
	if v := median(r.sample(toFloat(func(t facts.Trial) *int64 { return t.Connections.ClientReported }))); v != nil {
		return p.Say("run.reported", whole(v))
	}
	return dash
}

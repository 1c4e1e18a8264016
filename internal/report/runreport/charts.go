package runreport

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/parts"
)

// pictures shows the charts for which the run has numbers, except the headline's.
func (p *page) pictures() {
	p.Heading("page.pictures")
	p.goodputChart()
	p.timelineChart()
	if p.latencyChart() && core.HasHistograms(p.Result) {
		p.table(byPercentile(), p.rows, true)
	}
	if len(p.Files) == 0 {
		p.Print("page.nothing-draw")
	}
	if !p.Run.Observed && len(p.rows) > 0 {
		p.Print("page.run-recorded-no-timeline")
	}
}

// topologies returns the first row of each topology, in order.
func topologies(rows []row) []row {
	var out []row
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Topology] {
			seen[r.Topology] = true
			out = append(out, r)
		}
	}
	return out
}

func (p *page) goodputChart() {
	if len(p.rows) == 0 {
		return
	}
	b := chart.Bars{Words: p.Words(p.Say("chart.goodput-topology-protocol"),
		p.Say("chart.median-failed-requests-dont", p.Plural(p.Run.Trials, "page.trials"), p.whiskers()),
		p.headline()), XLabel: p.Say("chart.successful-requests-per"), Series: []string{spoken(facts.H1), spoken(facts.H2)}}
	for _, c := range clients(p.rows) {
		rows := ofClient(p.rows, c)
		panel := chart.Panel[chart.BarGroup]{Name: titled(p.Language, c)}
		for _, t := range topologies(rows) {
			g := chart.BarGroup{Label: t.Topology}
			for _, protocol := range []facts.Protocol{facts.H1, facts.H2} {
				g.Bars = append(g.Bars, p.bar(t, protocol))
			}
			panel.Rows = append(panel.Rows, g)
		}
		b.Panels = append(b.Panels, panel)
	}
	p.Chart("goodput", p.Say("page.bar-chart-goodput-topology", p.headline()), b)
}

// whiskers explains the whiskers, if there are any.
func (p *page) whiskers() string {
	for _, r := range p.rows {
		if e := r.Summary.GoodputRPS; e.Lo != nil && e.Hi != nil {
			return p.Say("chart.whiskers-95-interval")
		}
	}
	return p.Say("chart.too-few-intervals")
}

func (p *page) bar(t row, protocol facts.Protocol) chart.Bar {
	c := p.Result.Cell(t.Topology, protocol, t.Client)
	switch {
	case c == nil:
		return chart.Bar{Note: p.Say(parts.NotPart)}
	case !c.Unsupported.IsZero():
		return chart.Bar{Note: p.Say(parts.Unsupported, p.In(c.Unsupported))}
	case len(c.Trials) == 0:
		return chart.Bar{Note: p.Say("chart.no-trial")}
	}
	e := core.Estimate(c.Trials, goodput)
	return chart.Bar{Value: e.Median, Lo: e.Lo, Hi: e.Hi}
}

// connectionsChart is shown under the headline.
func (p *page) connectionsChart() {
	d := chart.Dots{Words: p.Words(p.Say("chart.connections-accepted-used"),
		p.Say("chart.medians-logarithmic-scale"),
		p.Say("chart.right-accepted-connections")),
		XLabel: p.Say("chart.connections-window-log"),
		Series: []string{p.Say("chart.accepted"), p.Say("chart.used-carried-request"), p.Say("chart.expected")}}
	for _, c := range clients(p.rows) {
		panel := chart.Panel[chart.DotRow]{Name: titled(p.Language, c)}
		for _, r := range ofClient(p.rows, c) {
			if len(r.Trials) == 0 {
				continue
			}
			s := r.Summary
			panel.Rows = append(panel.Rows, chart.DotRow{Label: r.Topology + ", " + string(r.Protocol),
				Values: []*float64{s.Accepted.Median, r.used(), s.Expected.Median}, Note: p.excess(s)})
		}
		if len(panel.Rows) > 0 {
			d.Panels = append(d.Panels, panel)
		}
	}
	if len(d.Panels) > 0 {
		p.Chart("connections", p.Say("page.connections-accepted-used"), d)
	}
}

// excess is the ratio of accepted to expected connections.
func (p *page) excess(s facts.Summary) string {
	a, e := s.Accepted.Median, s.Expected.Median
	switch {
	case a == nil || e == nil:
		return ""
	case *a <= *e:
		return p.Say("chart.none-wasted")
	case *e == 0:
		return p.Say("chart.0", whole(a))
	}
	x := *a / *e
	if x < 1.05 {
		return p.Say("chart.expected-2")
	}
	if x >= 10 {
		return p.Say("chart.expected-3", whole(&x))
	}
	return p.Say("chart.expected-3", fmt.Sprintf("%.1f", x))
}

// latencyChart is latency by percentile: two panels for each client, with a line for each topology. A run with histograms
// draws all requests of its trials, an earlier recording the medians of one client's trials. It reports whether there
// was anything to draw.
func (p *page) latencyChart() bool {
	merged, who, rows := core.HasHistograms(p.Result), []facts.Client{p.storyteller()}, ofClient(p.rows, p.storyteller())
	subtitle, alt := p.Say("chart.client-medians-over-trials", p.storyteller()), "page.latency-median-999th"
	at, labels := []float64{50, 90, 95, 99, 99.9}, []string{"p50", "p90", "p95", "p99", "p99.9"}
	if merged {
		who, rows, alt = clients(p.rows), p.rows, "run.latency-median-9999th"
		at, labels = quantiles(p.mostSamples())
		subtitle = p.Say("chart.all-requests-all-trials")
		if core.OpenLoop(p.Result) {
			subtitle += p.Say("chart.latency-counts-when-request")
		}
	}
	d := chart.Lines{XLabel: p.Say("chart.percentile-requests"), Labels: labels,
		Words: p.Words(p.Say("chart.latency-percentile"), subtitle, p.Say("chart.renewal-makes-requests"))}
	names := topologies(rows)
	for _, t := range names {
		d.Series = append(d.Series, t.Topology)
	}
	for _, client := range who {
		pair, any := make([]chart.LinePanel, 2), false
		for i, protocol := range []facts.Protocol{facts.H1, facts.H2} {
			panel, known := chart.LinePanel{YLabel: p.Say("chart.milliseconds-log-scale"), LogY: true, X: at}, false
			for _, t := range names {
				line := latencies(p.Result.Cell(t.Topology, protocol, client), at, merged)
				panel.Curves, known = append(panel.Curves, line), known || line[0] != nil
			}
			if panel.Name = spoken(protocol); merged {
				panel.Name += ", " + string(client)
			}
			if known {
				pair[i], any = panel, true
			}
		}
		if any {
			d.Panels = append(d.Panels, pair...)
		}
	}
	if d.Panels == nil {
		return false
	}
	p.Chart("latency", p.Say(alt), d)
	return true
}

// latencies are a cell's percentiles, from its merged histograms or as the medians of its trials' own.
func latencies(c *facts.Cell, at []float64, merged bool) []*float64 {
	line := make([]*float64, len(at))
	if c == nil {
		return line
	}
	if merged {
		h, err := core.Latencies(c)
		for i := range at {
			if err == nil && h != nil {
				line[i] = h.AtMS(at[i])
			}
		}
		return line
	}
	for i, of := range []func(facts.Latency) *float64{
		func(l facts.Latency) *float64 { return l.P50 }, func(l facts.Latency) *float64 { return l.P90 },
		func(l facts.Latency) *float64 { return l.P95 }, func(l facts.Latency) *float64 { return l.P99 },
		func(l facts.Latency) *float64 { return l.P999 },
	} {
		line[i] = median(core.Sample(c.Trials, func(t facts.Trial) *float64 { return of(t.LatencyMS) }))
	}
	return line
}

// mostSamples is the largest number of requests of a cell.
func (p *page) mostSamples() (n int64) {
	for _, r := range p.rows {
		if r.Summary.MergedMS != nil {
			n = max(n, r.Summary.MergedMS.Samples)
		}
	}
	return n
}

// quantiles are the percentiles that a curve is drawn through, ten for each nine, and the labels of
// some: p50 to p99.99, as far as so many samples reach.
func quantiles(samples int64) (at []float64, labels []string) {
	named := map[float64]string{50: "p50", 90: "p90", 99: "p99", 99.9: "p99.9", 99.99: "p99.99"}
	last := max(1, math.Floor(math.Log10(float64(max(samples, 1)))+1e-9))
	add := func(percentile float64) {
		at, labels = append(at, percentile), append(labels, named[percentile])
	}
	add(50)
	whole := []float64{90, 99, 99.9, 99.99}
	for tenth := 4; tenth <= 10*int(min(last, 4)); tenth++ {
		if tenth%10 == 0 {
			add(whole[tenth/10-1])
			continue
		}
		add(100 * (1 - math.Pow(10, -float64(tenth)/10)))
	}
	return at, labels
}

// byPercentile returns the columns of the table below the curves.
func byPercentile() []column {
	of := func(value func(*facts.Percentiles) *float64) func(row) string {
		return func(r row) string {
			if r.Summary.MergedMS == nil {
				return dash
			}
			return measure(value(r.Summary.MergedMS))
		}
	}
	const raw = "/trials/*/latency_ms"
	return []column{
		where, protocol,
		parts.Figure("run.samples", "run.successful-requests-all", "/trials/*/succeeded", samplesCell),
		parts.Figure("run.p50", "run.half-all-requests-took", raw,
			of(func(l *facts.Percentiles) *float64 { return l.P50 })),
		parts.Figure("run.p90", "run.90th-percentile-all", raw,
			of(func(l *facts.Percentiles) *float64 { return l.P90 })),
		parts.Figure("sweep.p99", "run.99th-percentile-all", raw,
			of(func(l *facts.Percentiles) *float64 { return l.P99 })),
		parts.Figure("run.p999", "run.all-but-1000-requests", raw,
			of(func(l *facts.Percentiles) *float64 { return l.P999 })),
		parts.Figure("run.p9999", "run.all-but-10000-requests", raw,
			of(func(l *facts.Percentiles) *float64 { return l.P9999 })),
		parts.Figure("run.max", "run.longest-requests-three", raw,
			of(func(l *facts.Percentiles) *float64 { return l.Max })),
	}
}

func samplesCell(r row) string {
	p := r.p
	if m := r.Summary.MergedMS; m != nil {
		return whole(core.Number(&m.Samples)) + p.Notes.Ref(p.LateTrials(r.Cell)...)
	}
	return dash + p.Notes.Ref(p.notMerged(r))
}

// notMerged says why a cell of a run with histograms has none; empty without trials.
func (p *page) notMerged(r row) string {
	if len(r.Trials) == 0 || r.Summary.MergedMS != nil || !core.HasHistograms(p.Result) {
		return ""
	}
	_, err := core.Latencies(r.Cell)
	missing := core.NoHistogram{}
	if !errors.As(err, &missing) {
		return ""
	}
	if missing.Err == nil {
		return p.Say("run.trial-no-histogram-p50", missing.Trial)
	}
	return p.Say("run.histogram-trial-cant-used", missing.Trial, missing.Err.Error())
}

// maxLines is the largest number of panels in a timeline; more would be hard to compare.
const maxLines = 6

// storyteller returns the client whose timeline and latency are drawn: the shared pool if it was
// measured, or else the first client.
func (p *page) storyteller() facts.Client {
	for _, c := range []facts.Client{facts.K6SharedPool, facts.GoReplayable} {
		if slices.ContainsFunc(p.rows, func(r row) bool { return r.Client == c && len(r.Trials) > 0 }) {
			return c
		}
	}
	for _, r := range p.rows {
		if len(r.Trials) > 0 {
			return r.Client
		}
	}
	return ""
}

// story returns the rows of the timeline: HTTP/2 at the low limit, then every other topology over
// HTTP/2, then HTTP/1.1 at the low limit.
func (p *page) story() []row {
	rows := ofClient(p.rows, p.storyteller())
	var out []row
	for _, want := range []func(row) bool{
		func(r row) bool { return r.Protocol == facts.H2 && r.Topology == p.low() },
		func(r row) bool { return r.Protocol == facts.H2 && r.Topology != p.low() },
		func(r row) bool { return r.Protocol == facts.H1 && r.Topology == p.low() },
	} {
		for _, r := range rows {
			if want(r) && len(r.Trials) > 0 {
				out = append(out, r)
			}
		}
	}
	return out
}

// typical returns the trial with a timeline whose goodput is nearest to the median.
func typical(r row) *facts.Trial {
	var best *facts.Trial
	m := median(r.sample(goodput))
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Series == "" || m == nil {
			continue
		}
		if best == nil || math.Abs(t.GoodputRPS-*m) < math.Abs(best.GoodputRPS-*m) {
			best = t
		}
	}
	return best
}

// timelineOf reads a row's series. An unreadable one is left out with a note.
func (p *page) timelineOf(r row) (*facts.Trial, facts.Series) {
	t := typical(r)
	if t == nil || p.Series == nil {
		return nil, facts.Series{}
	}
	s, err := p.Series(t.Series)
	if err != nil {
		p.Print("page.timeline-could-not-read", code(t.Series))
		return nil, facts.Series{}
	}
	return t, s
}

func (p *page) timelineChart() {
	tl := chart.Timeline{XLabel: p.Say("chart.seconds-since-measured")}
	bin, from := 0.0, 0.0
	type drawn struct {
		row    row
		trial  *facts.Trial
		series facts.Series
	}
	var all []drawn
	for _, r := range p.story() {
		if t, s := p.timelineOf(r); t != nil && len(s.TMS) > 1 && len(all) < maxLines {
			all = append(all, drawn{r, t, s})
			bin, from = max(bin, chart.Bin(s.TMS)), min(from, s.TMS[0])
		}
	}
	if len(all) == 0 {
		return
	}
	for _, d := range all {
		low := d.row.Protocol == facts.H2 && d.row.Limit.Configured != nil && *d.row.Limit.Configured < 100000
		tl.Lines = append(tl.Lines, chart.TimeLine{Name: d.row.Topology + ", " + spoken(d.row.Protocol),
			Note: p.Say("chart.trial", d.trial.Index, p.acceptedFor(d.trial)), Alarm: low,
			Points: chart.Rate(d.series.TMS, d.series.Accepted, bin)})
	}
	tl.Words = p.Words(p.Say("chart.new-connections-per-second"),
		p.Say("chart.client-trial-nearest-median", p.storyteller(), bin),
		p.Say("chart.cold-start-shaded-warm"))
	p.Chart("timeline", p.Say("page.new-connections-per-second"), tl)
}

func (p *page) acceptedFor(t *facts.Trial) string {
	if t.Connections.Accepted == nil {
		return p.Say("verdict.requests", text.Count(t.Attempts))
	}
	return p.Say("chart.accepted-requests", text.Count(*t.Connections.Accepted), text.Count(t.Attempts))
}

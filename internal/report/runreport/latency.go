package runreport

import (
	"errors"
	"math"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/chart"
)

// latencyChart is latency by percentile. A run with histograms draws all requests of its trials, an
// earlier recording the medians of what its trials recorded.
func (p *page) latencyChart() (chart.Picture, string, error) {
	if core.HasHistograms(p.in.Result) {
		return p.mergedChart()
	}
	return p.recordedChart()
}

// latencies is a chart of latency without its numbers.
func (p *page) latencies(subtitle string) chart.Percentiles {
	return chart.Percentiles{YLabel: p.Say("chart.milliseconds-log-scale"),
		Words: p.Words(p.Say("chart.latency-percentile"), subtitle, p.Say("chart.renewal-makes-requests"))}
}

// mergedChart has a line for each cell with histograms: a row of panels for each client.
func (p *page) mergedChart() (chart.Picture, string, error) {
	at, labels := quantiles(p.mostSamples())
	d := p.latencies(p.Say("chart.all-requests-all-trials"))
	d.At, d.Labels = at, labels
	if core.OpenLoop(p.in.Result) {
		d.Subtitle += p.Say("chart.latency-counts-when-request")
	}
	names := topologies(p.rows)
	for _, t := range names {
		d.Series = append(d.Series, t.Topology)
	}
	for _, client := range clients(p.rows) {
		pair, any := make([]chart.PercentilePanel, 2), false
		for i, protocol := range []facts.Protocol{facts.H1, facts.H2} {
			if lines := p.curves(names, protocol, client, at); lines != nil {
				pair[i] = chart.PercentilePanel{Name: spoken(protocol) + ", " + string(client), Lines: lines}
				any = true
			}
		}
		if any {
			d.Panels = append(d.Panels, pair...)
		}
	}
	if d.Panels == nil {
		return chart.Picture{}, "", nil
	}
	pic, err := d.Draw()
	return pic, p.Say("run.latency-median-9999th"), err
}

// curves are the lines of one panel; nil without any.
func (p *page) curves(names []row, protocol facts.Protocol, client facts.Client, at []float64) (out [][]*float64) {
	any := false
	for _, t := range names {
		line := make([]*float64, len(at))
		if h := p.histogram(t.of.Cell(t.Topology, protocol, client)); h != nil {
			any = true
			for i, percentile := range at {
				line[i] = h.AtMS(percentile)
			}
		}
		out = append(out, line)
	}
	if !any {
		return nil
	}
	return out
}

func (p *page) histogram(c *facts.Cell) *histogram.Histogram {
	if c == nil {
		return nil
	}
	h, err := core.Latencies(c)
	if err != nil {
		return nil
	}
	return h
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
	of := func(value func(*facts.Percentiles) *float64) func(*page, row) string {
		return func(_ *page, r row) string {
			if r.Summary.MergedMS == nil {
				return dash
			}
			return measure(value(r.Summary.MergedMS))
		}
	}
	const raw = "/trials/*/latency_ms"
	return []column{
		callers(nil)[0], callers(nil)[1],
		{"run.samples", "run.successful-requests-all", false, samplesCell, "/trials/*/succeeded"},
		{"run.p50", "run.half-all-requests-took", false, of(func(l *facts.Percentiles) *float64 { return l.P50 }), raw},
		{"run.p90", "run.90th-percentile-all", false, of(func(l *facts.Percentiles) *float64 { return l.P90 }), raw},
		{"sweep.p99", "run.99th-percentile-all", false, of(func(l *facts.Percentiles) *float64 { return l.P99 }), raw},
		{"run.p999", "run.all-but-1000-requests", false, of(func(l *facts.Percentiles) *float64 { return l.P999 }), raw},
		{"run.p9999", "run.all-but-10000-requests", false, of(func(l *facts.Percentiles) *float64 { return l.P9999 }), raw},
		{"run.max", "run.longest-requests-three", false, of(func(l *facts.Percentiles) *float64 { return l.Max }), raw},
	}
}

func samplesCell(p *page, r row) string {
	if m := r.Summary.MergedMS; m != nil {
		return whole(core.Number(&m.Samples)) + p.Notes.Ref(p.LateTrials(r.Cell)...)
	}
	return dash + p.Notes.Ref(p.notMerged(r))
}

// notMerged says why a cell of a run with histograms has none; empty without trials.
func (p *page) notMerged(r row) string {
	if len(r.Trials) == 0 || r.Summary.MergedMS != nil || !core.HasHistograms(p.in.Result) {
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

// recordedChart is the chart of a run without histograms: the medians of its trials' percentiles.
func (p *page) recordedChart() (chart.Picture, string, error) {
	client := p.storyteller()
	rows := ofClient(p.rows, client)
	d := p.latencies(p.Say("chart.client-medians-over-trials", client))
	d.At, d.Labels = []float64{50, 90, 95, 99, 99.9}, []string{"p50", "p90", "p95", "p99", "p99.9"}
	names := topologies(rows)
	for _, t := range names {
		d.Series = append(d.Series, t.Topology)
	}
	any := false
	for _, protocol := range []facts.Protocol{facts.H1, facts.H2} {
		panel := chart.PercentilePanel{Name: spoken(protocol)}
		for _, t := range names {
			line := percentiles(t.of.Cell(t.Topology, protocol, client))
			any = any || line[0] != nil
			panel.Lines = append(panel.Lines, line)
		}
		d.Panels = append(d.Panels, panel)
	}
	if !any {
		return chart.Picture{}, "", nil
	}
	pic, err := d.Draw()
	return pic, p.Say("page.latency-median-999th"), err
}

func percentiles(c *facts.Cell) []*float64 {
	line := make([]*float64, 5)
	if c == nil {
		return line
	}
	r := row{Cell: c}
	for i, of := range []func(facts.Latency) *float64{
		func(l facts.Latency) *float64 { return l.P50 }, func(l facts.Latency) *float64 { return l.P90 },
		func(l facts.Latency) *float64 { return l.P95 }, func(l facts.Latency) *float64 { return l.P99 },
		func(l facts.Latency) *float64 { return l.P999 },
	} {
		line[i] = median(r.sample(func(t facts.Trial) *float64 { return of(t.LatencyMS) }))
	}
	return line
}

package sweepreport

import (
	"html"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/chart"
)

// charted shows a chart; one without a curve is left out.
func (p *sheet) charted(name string, d chart.Lines, alt string) {
	if len(d.Panels) > 0 {
		p.Chart(name, html.UnescapeString(p.Say(alt, text.Count(len(d.Panels)))), d)
	}
}

// middles says what the numbers of a chart are.
func (p *sheet) middles() string {
	if core.HasHistograms(p.Result) {
		return p.Say("chart.percentiles-all-trials")
	}
	return p.Say("chart.medians-trials")
}

// directChart has the curves as the published comparisons drew them: a panel for each measure over
// the users, or for each group over the delay.
func (p *sheet) directChart(v sweepverdicts.Voice) chart.Lines {
	lines := v.Lines(sweepverdicts.Direct)
	d := chart.Lines{Words: p.words(v, p.Say("chart.without-proxy", p.In(v.Title))), XLabel: p.Say(axisLabel(v)), LogX: v.ByDelay}
	for _, l := range lines {
		d.Series = append(d.Series, p.named(v, l))
	}
	places := v.Places(sweepverdicts.Direct)
	for _, group := range v.Groups(places) {
		for _, m := range drawn(v.Sweep) {
			panel := chart.LinePanel{Name: p.panelName(v, group, m), YLabel: p.In(m.Unit), LogY: logY(v)}
			cells := func(l sweepverdicts.Line, at sweepverdicts.Place) *facts.Cell {
				return v.Cell(sweepverdicts.Direct, l, at)
			}
			fill(&panel, v, places, group, lines, m, cells)
			if known(panel) {
				d.Panels = append(d.Panels, panel)
			}
		}
	}
	return d
}

// drawn are the measures that a sweep's chart has a panel for.
func drawn(s *sweepverdicts.Sweep) []sweepverdicts.Measure {
	switch s {
	case sweepverdicts.Callers:
		return []sweepverdicts.Measure{sweepverdicts.Goodput, sweepverdicts.P95, sweepverdicts.Threads, sweepverdicts.Heap}
	case sweepverdicts.LowLatency:
		return []sweepverdicts.Measure{sweepverdicts.P99, sweepverdicts.Goodput}
	}
	return s.Measures[:1]
}

// words are the texts of a chart besides its axes and series.
func (p *sheet) words(v sweepverdicts.Voice, title string) chart.Words {
	return p.Words(title, p.middles()+p.Say(gapNote(v)), p.Say("chart.numbers-table-below-chart"))
}

// gapNote says how the axes are spaced, and why a point is missing.
func gapNote(v sweepverdicts.Voice) string {
	switch v.Sweep {
	case sweepverdicts.Callers:
		return "chart.gap-unknown-number"
	case sweepverdicts.Burst:
		return "chart.server-failed-request-no"
	case sweepverdicts.LowLatency:
		return "chart.both-axes-logarithmic-gap"
	}
	return "chart.axis-time-logarithmic-gap"
}

// logY is true where the callers differ by more than the lower ones' part of a linear axis shows.
func logY(v sweepverdicts.Voice) bool { return v.Sweep != sweepverdicts.Callers }

func axisLabel(v sweepverdicts.Voice) string {
	switch {
	case v.Sweep == sweepverdicts.Burst:
		return "chart.servers-wait-ms-log"
	case v.ByDelay:
		return "chart.backends-delay-ms-log"
	}
	return "chart.users"
}

// name is a measure's name by itself; in a Chinese sentence p99 has a space on either side.
func (p *sheet) name(m sweepverdicts.Measure) string { return strings.TrimSpace(p.In(m.Name)) }

func (p *sheet) panelName(v sweepverdicts.Voice, group int, m sweepverdicts.Measure) string {
	if v.Grouped {
		return p.Say("sweep.pair", p.name(m), p.group(v, group))
	}
	return p.name(m)
}

// fill sets a panel's numbers for the places of one group.
func fill(panel *chart.LinePanel, v sweepverdicts.Voice, places []sweepverdicts.Place, group int,
	lines []sweepverdicts.Line, m sweepverdicts.Measure, cell func(sweepverdicts.Line, sweepverdicts.Place) *facts.Cell) {
	places = slices.DeleteFunc(slices.Clone(places), func(at sweepverdicts.Place) bool { return v.Group(at) != group })
	for _, at := range places {
		panel.X = append(panel.X, float64(v.Along(at)))
	}
	for _, l := range lines {
		var curve []*float64
		for _, at := range places {
			c := cell(l, at)
			value := m.In(c)
			if failed, _ := sweepverdicts.Failures(c); failed > 0 && m.ID == sweepverdicts.Total.ID {
				value = nil // not all were answered
			}
			curve = append(curve, value)
		}
		panel.Curves = append(panel.Curves, curve)
	}
}

func known(panel chart.LinePanel) bool {
	for _, curve := range panel.Curves {
		if slices.ContainsFunc(curve, func(v *float64) bool { return v != nil }) {
			return true
		}
	}
	return false
}

// limitChart has a panel for each caller, with the same measure without a proxy and behind both
// limits. A sweep with groups shows the one with the most places.
func (p *sheet) limitChart(v sweepverdicts.Voice, effects []sweepverdicts.Effect) chart.Lines {
	topologies := []string{sweepverdicts.Direct, sweepverdicts.High, v.Low()}
	places := v.Places(v.Low())
	group := largest(v, places)
	title := p.Say("chart.without-proxy-behind-both", p.In(v.Title), p.name(v.Slow))
	if v.Grouped {
		title = p.Say("sweep.pair", title, p.group(v, group))
	}
	d := chart.Lines{Words: p.words(v, title), XLabel: p.Say(axisLabel(v)), LogX: v.ByDelay, Series: topologies}
	for _, e := range effects {
		panel := chart.LinePanel{Name: e.Name, YLabel: p.In(v.Slow.Unit), LogY: logY(v)}
		var curves [][]*float64
		for _, topology := range topologies {
			one := chart.LinePanel{}
			fill(&one, v, places, group, []sweepverdicts.Line{e.Line}, v.Slow,
				func(l sweepverdicts.Line, at sweepverdicts.Place) *facts.Cell { return v.Cell(topology, l, at) })
			panel.X, curves = one.X, append(curves, one.Curves...)
		}
		panel.Curves = curves
		if known(panel) {
			d.Panels = append(d.Panels, panel)
		}
	}
	return d
}

// largest is the group with the most places, the first of several.
func largest(v sweepverdicts.Voice, places []sweepverdicts.Place) (group int) {
	most := 0
	for _, g := range v.Groups(places) {
		n := 0
		for _, at := range places {
			if v.Group(at) == g {
				n++
			}
		}
		if n > most {
			group, most = g, n
		}
	}
	return group
}

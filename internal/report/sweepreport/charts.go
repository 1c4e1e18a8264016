package sweepreport

import (
	"fmt"
	"html"
	"slices"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/judge/rules"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/translations"
)

// drawing is a chart with its alternative text.
type drawing struct {
	chart.Lines
	alt translations.Phrase
}

// charted draws a chart and shows it; one without a curve is left out.
func (p *sheet) charted(name string, d drawing) {
	if len(d.Panels) == 0 || p.Err != nil {
		return
	}
	picture, err := d.Draw()
	if err != nil {
		p.Err = err
		return
	}
	p.files["charts/"+name+"-light.svg"], p.files["charts/"+name+"-dark.svg"] = picture.Light, picture.Dark
	p.Picture(name, html.UnescapeString(p.Say(d.alt, numfmt.Count(len(d.Panels)))))
}

// middles says what the numbers of a chart are.
func (p *sheet) middles() string {
	if rules.HasHistograms(p.Result) {
		return "Percentiles of all trials' requests where they have histograms, otherwise medians of the trials. "
	}
	return "Medians of the trials. "
}

// english writes the texts of charts, which both languages share.
func english(f translations.Phrase) string { return translations.English.Say(f) }

// directChart has the curves as the published comparisons drew them: a panel for each measure over
// the users, or for each group over the delay.
func (p *sheet) directChart(v sweepverdicts.Voice) drawing {
	lines := v.Lines(sweepverdicts.Direct)
	d := drawing{Lines: chart.Lines{Words: chart.Words{Title: english(v.Title) + " without a proxy",
		Subtitle: p.middles() + gapNote(v), Desc: "The numbers are in the table below the chart."},
		XLabel: axisLabel(v), LogX: v.ByDelay}, alt: "Line charts of the callers without a proxy. Panels: %s. The numbers " +
		"are in the table below."}
	for _, l := range lines {
		name := v.Name(sweepverdicts.Direct, l)
		if l.Bare {
			name = "no service"
		}
		d.Series = append(d.Series, name)
	}
	places := v.Places(sweepverdicts.Direct)
	for _, group := range v.Groups(places) {
		for _, m := range drawn(v.Sweep) {
			panel := chart.LinePanel{Name: panelName(v, group, m), YLabel: m.Unit, LogY: logY(v)}
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
	case &sweepverdicts.Callers:
		return []sweepverdicts.Measure{sweepverdicts.Goodput, sweepverdicts.P95, sweepverdicts.Threads, sweepverdicts.Heap}
	case &sweepverdicts.LowLatency:
		return []sweepverdicts.Measure{sweepverdicts.P99, sweepverdicts.Goodput}
	}
	return s.Measures[:1]
}

// gapNote says how the axes are spaced, and why a point is missing.
func gapNote(v sweepverdicts.Voice) string {
	switch v.Sweep {
	case &sweepverdicts.Callers:
		return "A gap is an unknown number."
	case &sweepverdicts.Burst:
		return "A server that failed a request has no point. Both axes are logarithmic."
	case &sweepverdicts.LowLatency:
		return "Both axes are logarithmic. A gap is an unknown number."
	}
	return "The axis of the time is logarithmic. A gap is an unknown number."
}

// logY is true where the callers differ by more than the lower ones' part of a linear axis shows.
func logY(v sweepverdicts.Voice) bool { return v.Sweep != &sweepverdicts.Callers }

func axisLabel(v sweepverdicts.Voice) string {
	switch {
	case v.Sweep == &sweepverdicts.Burst:
		return "the server's wait, ms (log scale)"
	case v.ByDelay:
		return "the backend's delay, ms (log scale)"
	}
	return "users"
}

func panelName(v sweepverdicts.Voice, group int, m sweepverdicts.Measure) string {
	if v.Grouped {
		return m.Name + ", " + translations.English.Say(groupPhrase(v), numfmt.Count(group))
	}
	return m.Name
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
func (p *sheet) limitChart(v sweepverdicts.Voice, effects []sweepverdicts.Effect) drawing {
	topologies := []string{sweepverdicts.Direct, sweepverdicts.High, v.Low()}
	places := v.Places(v.Low())
	group := largest(v, places)
	title := fmt.Sprintf("%s: %s without a proxy and behind both limits", english(v.Title), v.Slow.Name)
	if v.Grouped {
		title += fmt.Sprintf(", %s", translations.English.Say(groupPhrase(v), numfmt.Count(group)))
	}
	d := drawing{Lines: chart.Lines{Words: chart.Words{Title: title,
		Subtitle: p.middles() + gapNote(v), Desc: "The numbers are in the table below the chart."},
		XLabel: axisLabel(v), LogX: v.ByDelay, Series: topologies},
		alt: "Line charts of each caller without a proxy and behind both limits. Panels: %s. The numbers are in the " +
			"table below."}
	for _, e := range effects {
		panel := chart.LinePanel{Name: e.Name, YLabel: v.Slow.Unit, LogY: logY(v)}
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

func groupPhrase(v sweepverdicts.Voice) translations.Phrase {
	if v.ByDelay {
		return "%s threads"
	}
	return "a wait of %s ms"
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

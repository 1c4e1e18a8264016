package runreport

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/parts"
)

// picture is a chart's name and its alternative text.
type picture struct{ name, alt string }

// charts draws all pictures for which the run has numbers.
func (p *page) charts() (map[string][]byte, []picture, error) {
	files := map[string][]byte{}
	var shown []picture
	for _, c := range []struct {
		name string
		draw func() (chart.Picture, string, error)
	}{
		{"goodput", p.goodputChart}, {"connections", p.connectionsChart},
		{"timeline", p.timelineChart}, {latencyPicture, p.latencyChart},
	} {
		drawn, alt, err := c.draw()
		if err != nil {
			return nil, nil, err
		}
		if drawn.Light == nil {
			continue
		}
		p.Keep(files, c.name, drawn)
		shown = append(shown, picture{c.name, alt})
	}
	return files, shown, nil
}

// headlinePicture is shown under the headline and not among the others.
const headlinePicture = "connections"

// latencyPicture has its numbers in a table below it.
const latencyPicture = "latency"

func (p *page) pictures(shown []picture) {
	p.Heading("Pictures")
	if len(shown) == 0 {
		p.PrintPhrase("Nothing to draw.\n")
	}
	for _, s := range shown {
		if s.name != headlinePicture {
			p.Picture(s.name, s.alt)
		}
		if s.name == latencyPicture && core.HasHistograms(p.in.Result) {
			p.table(byPercentile(), p.rows, true)
			p.Printf("\n")
		}
	}
	for _, u := range p.unread {
		p.PrintPhrase("A timeline could not be read and is left out: %s.\n\n", code(u))
	}
	if !p.run.Observed && len(p.rows) > 0 {
		p.PrintPhrase("This run recorded no timeline.\n")
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

func (p *page) goodputChart() (chart.Picture, string, error) {
	if len(p.rows) == 0 {
		return chart.Picture{}, "", nil
	}
	b := chart.Bars{Words: p.Words(p.Say("Goodput by topology and protocol, successful requests per second"),
		p.Say("Median of %s%s. Failed requests don't count.", p.Plural(p.run.Trials, trials), p.whiskers()),
		p.headline()), XLabel: p.Say("successful requests per second"), Series: []string{spoken(facts.H1), spoken(facts.H2)}}
	for _, c := range clients(p.rows) {
		rows := ofClient(p.rows, c)
		panel := chart.BarPanel{Name: titled(p.Language, c)}
		for _, t := range topologies(rows) {
			g := chart.BarGroup{Label: t.Topology}
			for _, protocol := range []facts.Protocol{facts.H1, facts.H2} {
				g.Bars = append(g.Bars, p.bar(t, protocol))
			}
			panel.Groups = append(panel.Groups, g)
		}
		b.Panels = append(b.Panels, panel)
	}
	drawn, err := b.Draw()
	return drawn, p.Say("Bar chart of goodput by topology and protocol. %s", p.headline()), err
}

// whiskers explains the whiskers, if there are any.
func (p *page) whiskers() string {
	for _, r := range p.rows {
		if e := r.Summary.GoodputRPS; e.Lo != nil && e.Hi != nil {
			return p.Say("; whiskers are its 95 % interval")
		}
	}
	return p.Say(", too few for intervals")
}

func (p *page) bar(t row, protocol facts.Protocol) chart.Bar {
	c := t.of.Cell(t.Topology, protocol, t.Client)
	switch {
	case c == nil:
		return chart.Bar{Note: p.Say(parts.NotPart)}
	case c.Unsupported != "":
		return chart.Bar{Note: p.Say(parts.Unsupported, p.Recorded(c.Unsupported))}
	case len(c.Trials) == 0:
		return chart.Bar{Note: p.Say("no trial")}
	}
	e := core.Estimate(c.Trials, goodput)
	return chart.Bar{Value: e.Median, Lo: e.Lo, Hi: e.Hi}
}

func (p *page) connectionsChart() (chart.Picture, string, error) {
	d := chart.Dots{Words: p.Words(p.Say("Connections accepted, used and expected in one trial's window"),
		p.Say("Medians. Logarithmic scale: each line is ten times the one before; 0 is left of the break."),
		p.Say("At the right: accepted connections divided by expected ones.")),
		XLabel: p.Say("connections in the window (log scale)"),
		Series: []string{p.Say("accepted"), p.Say("used (carried a request)"), p.Say("expected")}}
	for _, c := range clients(p.rows) {
		panel := chart.DotPanel{Name: titled(p.Language, c)}
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
	if len(d.Panels) == 0 {
		return chart.Picture{}, "", nil
	}
	drawn, err := d.Draw()
	return drawn, p.Say("Connections accepted, used and expected for each topology, protocol and client, on a " +
		"logarithmic scale; the numbers are in the tables below."), err
}

// excess is the ratio of accepted to expected connections.
func (p *page) excess(s facts.Summary) string {
	a, e := s.Accepted.Median, s.Expected.Median
	switch {
	case a == nil || e == nil:
		return ""
	case *a <= *e:
		return p.Say("none wasted")
	case *e == 0:
		return p.Say("%s for 0", whole(a))
	}
	x := *a / *e
	if x < 1.05 {
		return p.Say("as expected")
	}
	if x >= 10 {
		return p.Say("%s × expected", whole(&x))
	}
	return p.Say("%s × expected", fmt.Sprintf("%.1f", x))
}

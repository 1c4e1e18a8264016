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
	p.Heading("page.pictures")
	if len(shown) == 0 {
		p.Print("page.nothing-draw")
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
		p.Print("page.timeline-could-not-read", code(u))
	}
	if !p.run.Observed && len(p.rows) > 0 {
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

func (p *page) goodputChart() (chart.Picture, string, error) {
	if len(p.rows) == 0 {
		return chart.Picture{}, "", nil
	}
	b := chart.Bars{Words: p.Words(p.Say("chart.goodput-topology-protocol"),
		p.Say("chart.median-failed-requests-dont", p.Plural(p.run.Trials, "page.trials"), p.whiskers()),
		p.headline()), XLabel: p.Say("chart.successful-requests-per"), Series: []string{spoken(facts.H1), spoken(facts.H2)}}
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
	return drawn, p.Say("page.bar-chart-goodput-topology", p.headline()), err
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
	c := t.of.Cell(t.Topology, protocol, t.Client)
	switch {
	case c == nil:
		return chart.Bar{Note: p.Say(parts.NotPart)}
	case c.Unsupported != "":
		return chart.Bar{Note: p.Say(parts.Unsupported, p.Recorded(c.Unsupported))}
	case len(c.Trials) == 0:
		return chart.Bar{Note: p.Say("chart.no-trial")}
	}
	e := core.Estimate(c.Trials, goodput)
	return chart.Bar{Value: e.Median, Lo: e.Lo, Hi: e.Hi}
}

func (p *page) connectionsChart() (chart.Picture, string, error) {
	d := chart.Dots{Words: p.Words(p.Say("chart.connections-accepted-used"),
		p.Say("chart.medians-logarithmic-scale"),
		p.Say("chart.right-accepted-connections")),
		XLabel: p.Say("chart.connections-window-log"),
		Series: []string{p.Say("chart.accepted"), p.Say("chart.used-carried-request"), p.Say("chart.expected")}}
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
	return drawn, p.Say("page.connections-accepted-used"), err
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

package storyreport

import (
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// The charts, in the order of the page.
var pictures = []struct {
	name             string
	alt, title, axis translations.Phrase
	of               of
}{
	{"story-goodput", "story.bar-chart-users-goodput", "chart.what-users-get-successful", "chart.successful-requests-per", goodput},
	{"story-p99", "story.bar-chart-users-99th", "chart.how-long-1-users", "chart.p99-milliseconds", p99},
}

// charts draws all charts for which the run has numbers.
func (p *page) charts() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, c := range pictures {
		any := false
		for _, r := range p.every() {
			any = any || r.middle(c.of) != nil
		}
		if !any {
			continue
		}
		drawn, err := p.bars(c.title, c.axis, c.of).Draw()
		if err != nil {
			return nil, err
		}
		p.Keep(files, c.name, drawn)
	}
	return files, nil
}

func (p *page) bars(title, axis translations.Phrase, f of) chart.Bars {
	searched := []row{p.incident(), p.pool(), p.noRetry(), p.alone()}
	reading := p.Say("chart.median-whiskers-95-interval", p.Plural(p.run.Trials, "page.trials"), p.chain.Low)
	if core.HasHistograms(p.Result) {
		reading += p.Say("chart.bar-latency-all-trials")
	}
	return chart.Bars{Words: p.Words(p.Say(title), reading, p.headline()), XLabel: p.Say(axis),
		Series: []string{p.Say("chart.users-service")}, Panels: []chart.BarPanel{
			{Name: p.Say("chart.incident-search-place"), Groups: p.groups(searched, f)},
			{Name: p.Say("chart.cures-time"), Groups: p.groups(p.cured(), f)}}}
}

func (p *page) groups(rows []row, f of) (out []chart.BarGroup) {
	for _, r := range rows {
		m := statistics.Median(r.sample(f))
		b := chart.Bar{Value: m.Median, Lo: m.Lo, Hi: m.Hi}
		if v := core.Pooled(r.Cell, f); v != nil {
			b = chart.Bar{Value: v}
		}
		if r.Cell == nil {
			b.Note = p.Say(parts.NotPart)
		} else if r.Unsupported != "" {
			b.Note = p.Say(parts.Unsupported, p.Recorded(r.Unsupported))
		}
		out = append(out, chart.BarGroup{Label: p.Say(r.label), Bars: []chart.Bar{b}})
	}
	return out
}

// pictures shows the charts that exist.
func (p *page) pictures(files map[string][]byte) {
	for _, c := range pictures {
		if files["charts/"+parts.ChartName(p.Language, c.name)+"-light.svg"] != nil {
			p.Picture(c.name, p.Say(c.alt))
		}
	}
}

package storyreport

import (
	"fmt"

	"h2lab/internal/judge/rules"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/chart"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// The charts, in the order of the page. Their texts are English in both languages.
var pictures = []struct {
	name  string
	alt   translations.Phrase
	title string
	axis  string
	of    of
}{
	{"story-goodput", "Bar chart of the users' goodput: the incident, the suspects and the cures.",
		"What the users get, successful requests per second", "successful requests per second", goodput},
	{"story-p99", "Bar chart of the users' 99th percentile: the incident, the suspects and the cures.",
		"How long 1 % of the users wait at least: p99 in milliseconds", "p99, milliseconds", p99},
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
		files["charts/"+c.name+"-light.svg"] = drawn.Light
		files["charts/"+c.name+"-dark.svg"] = drawn.Dark
	}
	return files, nil
}

func (p *page) bars(title, axis string, f of) chart.Bars {
	searched := []row{p.incident(), p.pool(), p.noRetry(), p.alone()}
	reading := fmt.Sprintf("Median of %s; whiskers are its 95 %% interval where there are six or more. Through %s, "+
		"unless the row says otherwise.", parts.Plural(translations.English, p.run.Trials, parts.Trials), p.chain.Low)
	if rules.HasHistograms(p.Result) {
		reading += " A bar of latency is that of all trials' requests."
	}
	return chart.Bars{Words: chart.Words{Title: title, Subtitle: reading,
		Desc: p.headline()}, XLabel: axis, Series: []string{"users of the service"},
		Panels: []chart.BarPanel{{Name: "The incident and the search for its place", Groups: groups(searched, f)},
			{Name: "The cures, one at a time", Groups: groups(p.cured(), f)}}}
}

func groups(rows []row, f of) (out []chart.BarGroup) {
	for _, r := range rows {
		m := statistics.Median(r.sample(f))
		b := chart.Bar{Value: m.Median, Lo: m.Lo, Hi: m.Hi}
		if v := rules.Pooled(r.Cell, f); v != nil {
			b = chart.Bar{Value: v}
		}
		if r.Cell == nil {
			b.Note = "not part of this run"
		} else if r.Unsupported != "" {
			b.Note = "unsupported: " + r.Unsupported
		}
		out = append(out, chart.BarGroup{Label: translations.English.Say(r.label), Bars: []chart.Bar{b}})
	}
	return out
}

// pictures shows the charts that exist.
func (p *page) pictures(files map[string][]byte) {
	for _, c := range pictures {
		if files["charts/"+c.name+"-light.svg"] != nil {
			p.Picture(c.name, p.Say(c.alt))
		}
	}
}

package parts

import (
	"html"

	"h2lab/internal/report/chart"
	"h2lab/internal/report/translations"
)

// What a bar's place says where a run has no number for it; %s is the recorded reason.
const (
	NotPart     translations.Phrase = "chart.not-part-run"
	Unsupported translations.Phrase = "chart.unsupported"
)

// Words are the texts of a chart in the page's language.
func (p *Page) Words(title, subtitle, desc string) chart.Words {
	return chart.Words{Title: title, Subtitle: subtitle, Desc: desc, Language: p.Language}
}

// ChartName is a chart's name in a language: goodput.zh is beside goodput as report.zh.md is beside report.md.
func ChartName(l translations.Language, name string) string {
	if l == translations.Chinese {
		return name + ".zh"
	}
	return name
}

// Keep adds a chart to a page's files.
func (p *Page) Keep(files map[string][]byte, name string, drawn chart.Picture) {
	at := "charts/" + ChartName(p.Language, name)
	files[at+"-light.svg"], files[at+"-dark.svg"] = drawn.Light, drawn.Dark
}

// Picture writes a chart, NAME-light.svg or NAME-dark.svg, in the theme of the reader.
func (p *Page) Picture(name, alt string) {
	at := Or(p.Charts, "charts/") + ChartName(p.Language, name)
	p.Printf("<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"%s-dark.svg\">\n", at)
	p.Printf("  <img alt=\"%s\" src=\"%s-light.svg\" width=\"800\">\n</picture>\n\n", html.EscapeString(alt), at)
}

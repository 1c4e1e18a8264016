package runreport

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// glossary explains every column, from the list that the tables use.
func (p *page) glossary() {
	p.Heading("page.columns")
	p.Print("run.column-meaning")
	for i, c := range explained(p.in.Result) {
		if i < 2 || c.head != "run.topology" && c.head != "run.protocol" {
			p.Printf("| %s | %s |\n", p.Say(c.head), p.Say(c.meaning))
		}
	}
}

// explained are the columns of all tables.
func explained(run *facts.Result) (out []column) {
	for _, t := range tables(run) {
		out = append(out, t.columns...)
	}
	if core.HasHistograms(run) {
		out = append(out, byPercentile()...)
	}
	return out
}

func (p *page) repeat() {
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same", block("sh", or(p.run.Repeat, "h2lab "+p.run.Command)))
}

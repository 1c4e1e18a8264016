package runreport

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// glossary explains every column, from the list that the tables use.
func (p *page) glossary() {
	p.Heading("Columns")
	p.PrintPhrase("| Column | Meaning |\n|:--|:--|\n")
	for i, c := range explained(p.in.Result) {
		if i < 2 || c.head != "Topology" && c.head != "Protocol" {
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
	p.Heading("Repeat this run")
	p.PrintPhrase("%s\n`make report` draws the same report again from the saved numbers, byte for byte.\n",
		block("sh", or(p.run.Repeat, "h2lab "+p.run.Command)))
}

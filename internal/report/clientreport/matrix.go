package clientreport

import (
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/translations"
)

// column is one column of the table: its head, its meaning, and how it writes a cell. The glossary
// uses the same list.
type column struct {
	head, meaning translations.Phrase
	left          bool
	cell          func(*page, *clientverdicts.Row) string
}

// columns of the matrix.
func (p *page) columns() []column {
	number := func(of func(*clientverdicts.Figures) *int64) func(*page, *clientverdicts.Row) string {
		return func(_ *page, r *clientverdicts.Row) string {
			if r.At == nil {
				return dash
			}
			return known(of(r.At))
		}
	}
	return []column{
		{"Client", "A library in one variant, linked to its section. ↳ marks a variant that is meant to cure another.",
			true, clientCell},
		{"What it is", "A short description.", true,
			func(p *page, r *clientverdicts.Row) string {
				return escape(or(p.Language.Worded(r.Program.Says), dash))
			}},
		{"Verdict", "The worst verdict that applies, and below it the others that apply.", true, verdictCell},
		{"Limit", "The limit at which the row was measured: the run's, or a lower one with proportionally fewer requests in " +
			"flight, for a client that reached the run's limit too seldom.", false, limitCell},
		{"Accepted / renewals", "Connections that the server accepted in the window, and how many were renewed: after " +
			"reaching the limit, or before.", false, acceptedCell},
		{"Failed per 1,000", "Failed requests per 1,000 attempted.", false,
			func(_ *page, r *clientverdicts.Row) string { return measure(r.At.PerThousand()) }},
		{"Duplicates", "Executed − distinct: requests that the backend executed a second time.",
			false, number(func(f *clientverdicts.Figures) *int64 { return f.Duplicates })},
		{"Unanswered", "Executed − succeeded: executions without a good answer to the caller, duplicates included.",
			false, number(func(f *clientverdicts.Figures) *int64 { return f.Unanswered })},
		{"Hung", "Calls that did not settle within the patience; they also count as failed.", false,
			number(func(f *clientverdicts.Figures) *int64 { return f.Hung })},
		{"Goodput", "Successful requests per second, divided by those of the same client at a limit of 100,000. " +
			"Only indicative: one window on a shared machine.", false, relativeCell},
		{"At Envoy", "The verdict at Envoy with the same limit. Envoy announces the end of a connection before it enforces " +
			"it. Measured for clients that are not sound at nginx.", true,
			func(p *page, r *clientverdicts.Row) string { return p.verdict(r.SavedByEnvoy) }},
		{"Cure", "The variant that was sound in this run, linked to its code.", true,
			func(p *page, r *clientverdicts.Row) string { return p.cureCell(r) }},
	}
}

func clientCell(p *page, r *clientverdicts.Row) string {
	if p.root(r) != r {
		return "↳" + space + link(r.Client)
	}
	return link(r.Client)
}

func verdictCell(p *page, r *clientverdicts.Row) string {
	out := "**" + p.verdict(r.Verdict) + "**"
	for _, v := range r.Also {
		out += "<br>" + p.verdict(v)
	}
	return out
}

func acceptedCell(_ *page, r *clientverdicts.Row) string {
	if r.At == nil || r.At.Accepted == nil && r.At.Renewals == nil {
		return dash
	}
	return known(r.At.Accepted) + space + "/" + space + known(renewals(r.At))
}

func limitCell(_ *page, r *clientverdicts.Row) string {
	if r.At == nil {
		return dash
	}
	return whole(r.Limit)
}

func relativeCell(_ *page, r *clientverdicts.Row) string {
	if r.Relative == nil {
		return dash
	}
	return "×" + space + measure(r.Relative)
}

// matrix writes one table per ecosystem, with a line for each library.
func (p *page) matrix() {
	p.Heading("The matrix")
	if len(p.rows) == 0 {
		p.PrintPhrase("Nothing was measured.\n")
		return
	}
	p.PrintPhrase("Measured at %s unless a column says otherwise. %s is an unknown number. The columns are explained "+
		"[below](#terms).\n", code(p.low), dash)
	for _, e := range p.grouped() {
		p.Printf("\n### %s\n\n", escape(p.Language.Worded(e.title)))
		columns := p.columns()
		for _, c := range columns {
			p.Printf("| %s ", p.Say(c.head))
		}
		p.Printf("|\n")
		for _, c := range columns {
			if c.left {
				p.Printf("|:--")
			} else {
				p.Printf("|--:")
			}
		}
		p.Printf("|\n")
		for _, l := range e.libraries {
			p.Printf("| **%s** |", escape(p.Language.Worded(l.name)))
			for range columns[1:] {
				p.Printf(" |")
			}
			p.Printf("\n")
			for _, r := range l.all() {
				for _, c := range columns {
					p.Printf("| %s ", c.cell(p, r))
				}
				p.Printf("|\n")
			}
		}
	}
}

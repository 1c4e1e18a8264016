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
		{"clients.client", "clients.library-variant-linked", true, clientCell},
		{"clients.what", "clients.short-description", true,
			func(p *page, r *clientverdicts.Row) string {
				return escape(or(p.Language.Worded(r.Program.Says), dash))
			}},
		{"clients.verdict", "clients.worst-verdict-applies-below", true, verdictCell},
		{"clients.limit", "clients.limit-row-measured-runs", false, limitCell},
		{"clients.accepted-renewals", "clients.connections-server-accepted", false, acceptedCell},
		{"clients.failed-per-1000", "clients.failed-requests-per-1000", false,
			func(_ *page, r *clientverdicts.Row) string { return measure(r.At.PerThousand()) }},
		{"run.duplicates", "clients.executed-distinct-requests",
			false, number(func(f *clientverdicts.Figures) *int64 { return f.Duplicates })},
		{"clients.unanswered", "clients.executed-succeeded",
			false, number(func(f *clientverdicts.Figures) *int64 { return f.Unanswered })},
		{"clients.hung", "clients.calls-did-not-settle", false, number(func(f *clientverdicts.Figures) *int64 { return f.Hung })},
		{"clients.goodput", "clients.successful-requests-per", false, relativeCell},
		{"clients.envoy", "clients.verdict-envoy-same-limit", true,
			func(p *page, r *clientverdicts.Row) string { return p.verdict(r.SavedByEnvoy) }},
		{"clients.cure", "clients.variant-sound-run-linked", true,
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
	p.Heading("clients.matrix")
	if len(p.rows) == 0 {
		p.Print("page.nothing-measured")
		return
	}
	p.Print("clients.measured-unless-column-says", code(p.low), dash)
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

package clientreport

import (
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
)

// lies warns of clients whose numbers can't be trusted.
func (p *page) lies() {
	rows := p.with(clientverdicts.Lies)
	if len(rows) == 0 {
		return
	}
	p.Heading("clients.lies")
	p.Print("clients.report-more-successes")
	for _, r := range rows {
		p.Print("clients.item", link(r.Client), prose(p.sentence(p.In(r.Reasons[0]))))
	}
}

// notCured lists the cures that didn't work.
func (p *page) notCured() {
	var out []string
	for _, r := range p.rows {
		for _, c := range r.Cures {
			if c.Outcome != clientverdicts.Cured {
				out = append(out, p.Say("clients.for", link(c.Client), link(r.Client), prose(p.sentence(p.In(c.Words)))))
			}
		}
	}
	if len(out) == 0 {
		return
	}
	p.Heading("clients.variants-did-not-cure")
	p.Print("clients.variants-meant-cures-but", strings.Join(out, "\n"))
}

// own lists the clients that fail without the limit too.
func (p *page) own() {
	rows := p.where(func(r *clientverdicts.Row) bool { return r.FailsAnyway })
	if len(rows) == 0 {
		return
	}
	p.Heading("clients.faults-without-limit")
	p.Print("clients.show-some-faults-too", code(high), p.links(clientsOf(rows)))
}

// near lists the rows for which another run may give a different verdict.
func (p *page) near() {
	rows := p.where(func(r *clientverdicts.Row) bool { return len(r.Near) > 0 })
	if len(rows) == 0 {
		return
	}
	p.Heading("clients.near-threshold-2")
	p.Print("clients.number-near-threshold")
	for _, r := range rows {
		p.Print("clients.item", link(r.Client), prose(p.sentence(p.In(facts.Join("join.semicolon", r.Near...)))))
	}
}

// unsupported lists the programs that could not run, with the reason.
func (p *page) unsupported() {
	var reasons []string
	by := map[string][]*clientverdicts.Row{}
	for _, r := range p.where(func(r *clientverdicts.Row) bool { return r.Verdict == clientverdicts.Unsupported }) {
		reason := p.In(facts.Join("join.semicolon", r.Reasons...))
		if by[reason] == nil {
			reasons = append(reasons, reason)
		}
		by[reason] = append(by[reason], r)
	}
	if len(reasons) == 0 {
		return
	}
	p.Heading("page.unsupported-here")
	p.Print("clients.could-not-run-measured")
	for _, reason := range reasons {
		p.Print("clients.item", p.links(clientsOf(by[reason])), escape(reason))
	}
}

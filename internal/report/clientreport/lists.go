package clientreport

import (
	"strings"

	"h2lab/internal/judge/clientverdicts"
)

// lies warns of clients whose numbers can't be trusted.
func (p *page) lies() {
	rows := p.with(clientverdicts.Lies)
	if len(rows) == 0 {
		return
	}
	p.Heading("Lies")
	p.PrintPhrase("These report more successes than the backend executed. Ignore the numbers that they report; the " +
		"servers' counts are right.\n\n")
	for _, r := range rows {
		p.PrintPhrase("- %s: %s\n", link(r.Client), prose(p.sentence(r.Reasons[0])))
	}
}

// notCured lists the cures that didn't work.
func (p *page) notCured() {
	var out []string
	for _, r := range p.rows {
		for _, c := range r.Cures {
			if c.Outcome != clientverdicts.Cured {
				out = append(out, p.Say("- %s, for %s: %s", link(c.Client), link(r.Client), prose(p.sentence(c.Words))))
			}
		}
	}
	if len(out) == 0 {
		return
	}
	p.Heading("Variants that did not cure")
	p.PrintPhrase("These variants are meant as cures, but this run did not confirm it.\n\n%s\n",
		strings.Join(out, "\n"))
}

// own lists the clients that fail without the limit too.
func (p *page) own() {
	rows := p.where(func(r *clientverdicts.Row) bool { return r.FailsAnyway })
	if len(rows) == 0 {
		return
	}
	p.Heading("Faults without the limit")
	p.PrintPhrase("These show some of their faults at %s too, where no connection is renewed; "+
		"their sections have the details: %s.\n", code(high), p.links(clientsOf(rows)))
}

// near lists the rows for which another run may give a different verdict.
func (p *page) near() {
	rows := p.where(func(r *clientverdicts.Row) bool { return len(r.Near) > 0 })
	if len(rows) == 0 {
		return
	}
	p.Heading("Near a threshold")
	p.PrintPhrase("Each of these has a number near a threshold, so another run may give another verdict.\n\n")
	for _, r := range rows {
		p.PrintPhrase("- %s: %s\n", link(r.Client), prose(p.sentence(strings.Join(r.Near, p.Say("; ")))))
	}
}

// unsupported lists the programs that could not run, with the reason.
func (p *page) unsupported() {
	var reasons []string
	by := map[string][]*clientverdicts.Row{}
	for _, r := range p.where(func(r *clientverdicts.Row) bool { return r.Verdict == clientverdicts.Unsupported }) {
		reason := strings.TrimSpace(strings.Join(r.Reasons, "; "))
		if by[reason] == nil {
			reasons = append(reasons, reason)
		}
		by[reason] = append(by[reason], r)
	}
	if len(reasons) == 0 {
		return
	}
	p.Heading("Unsupported here")
	p.PrintPhrase("These could not run on the measured machine and have no verdict.\n\n")
	for _, reason := range reasons {
		p.PrintPhrase("- %s: %s\n", p.links(clientsOf(by[reason])), escape(p.Language.RecordedOne(reason)))
	}
}

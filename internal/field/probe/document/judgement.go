package document

import (
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/family"
)

// judgement says what the facts mean, what they cost, what to change, and what to do next.
func (p *page) judgement(e facts.Endpoint, v family.Verdict, price *Price) {
	p.line("")
	p.fact("this is", p.family(v))
	for i, m := range v.Meaning {
		name := "it means"
		if i > 0 {
			name = ""
		}
		p.said(name, m)
	}
	for _, w := range v.Warnings {
		p.said("but", w)
	}
	p.price(price, e, v.Cause)
	for _, c := range v.Changes {
		p.line("")
		p.fact("change", c.TitleIn(p.in))
		for line := range strings.SplitSeq(strings.TrimRight(c.Line, "\n"), "\n") {
			p.line("      " + line)
		}
	}
	if v.Next != "" {
		p.line("\n" + p.in.Say("next: ") + p.in.Command(v.Next))
	}
}

// family names the family and the evidence, the strongest first.
func (p *page) family(v family.Verdict) string {
	if v.Sure == family.Unknown || len(v.Candidates) == 0 {
		return p.in.Say("unknown: what was seen fits no server that this program knows")
	}
	var names, evidence []string
	for _, c := range v.Candidates[:len(v.Among)] {
		names = append(names, p.in.Say(c.Name))
	}
	text := strings.Join(names, p.in.Say("; or ")) + p.in.Say(" (") + p.in.Say(v.Sure) + p.in.Say(")")
	for _, e := range v.Candidates[0].For {
		if len(evidence) < 3 {
			evidence = append(evidence, p.in.Say(e.Says))
		}
	}
	if len(evidence) > 0 {
		text += p.in.Say(": ") + strings.Join(evidence, p.in.Say("; "))
	}
	return text
}

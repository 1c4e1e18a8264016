package runreport

import (
	"strings"

	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/parts"
)

func (p *page) headline() string {
	return or(strings.Join(strings.Fields(p.In(runverdicts.Headline(p.in.Result, p.in.Verdicts))), " "),
		p.Say("page.no-rule-could-judge"))
}

// title writes the first screen: the headline, its picture, and the warnings of the whole run.
func (p *page) title(pictures []picture) {
	p.Print("page.what-limit-requests-per", code(or(p.run.Command, "h2lab")))
	p.Printf("> **%s**\n\n", escape(p.headline()))
	for _, s := range pictures {
		if s.name == headlinePicture {
			p.Picture(s.name, s.alt)
		}
	}
	p.Print("page.run", code(or(p.run.Repeat, "h2lab "+p.run.Command)), code(p.run.ID),
		when(p.run.Started), escape(or(p.run.Runtime, dash)))
	for i, w := range p.Warnings() {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(parts.WarningsHead))
		}
		p.Printf("- %s\n", escape(w))
	}
}

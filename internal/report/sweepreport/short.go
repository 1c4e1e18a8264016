package sweepreport

import (
	"slices"
	"strings"

	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/parts"
)

// Short returns the page for a terminal: the headline, the warnings, what each caller makes of the
// limit, and the page's path; for a single sweep also the sentences that a decision rests on, as far
// as they have room.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newSheet(in)
	path := parts.Or(p.in.Path, "results/"+p.run.ID+"/"+Name(p.Language))
	return p.ShortList(p.headline(), p.warnings(), p.shortList, path, colour)
}

func (p *sheet) shortList(room int) []string {
	var decisions, kinds []string
	for _, t := range p.tables {
		v := sweepverdicts.Voice{Table: t}
		var all []string
		for _, e := range t.Effects() {
			all = append(all, p.Say("page.labelled", e.Name, p.In(v.Word(e.Kind))))
		}
		kinds = append(kinds, parts.ShortItem(p.Say("page.labelled", p.In(t.Title),
			parts.Or(strings.Join(all, p.Say("join.semicolon")), parts.Dash)))...)
		for _, s := range v.Decisions() {
			if lines := parts.ShortItem(p.In(s)); len(p.tables) == 1 && len(kinds)+len(decisions)+len(lines) <= room {
				decisions = append(decisions, lines...)
			}
		}
	}
	return slices.Concat(decisions, kinds)
}

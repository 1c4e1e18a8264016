package sweepreport

import (
	"slices"
	"strings"

	"h2lab/internal/base/textwrap"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/parts"
)

// The terminal's version is as wide and high as those of the other reports. The path and two empty
// lines stand beside the sentences.
const (
	shortWidth  = 100
	shortLines  = 25
	linesBeside = 3
)

const (
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

// Short returns the page for a terminal: the headline, the warnings, what each caller makes of the
// limit, and the page's path; for a single sweep also the sentences that a decision rests on, as far
// as they have room.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newSheet(in)
	var head, decisions, kinds []string
	for _, l := range textwrap.Wrap(strings.ReplaceAll(p.headline(), "`", ""), shortWidth) {
		if colour {
			l = bold + l + plain
		}
		head = append(head, l)
	}
	for i, w := range p.warnings() {
		if i == 0 {
			head = append(head, "", p.Say(parts.WarningsHead))
		}
		head = append(head, item(w)...)
	}
	for _, t := range p.tables {
		v := sweepverdicts.Voice{In: p.Language, Table: t}
		var all []string
		for _, e := range t.Effects() {
			all = append(all, p.Say("%s: %s", e.Name, v.Word(e.Kind)))
		}
		kinds = append(kinds, item(p.Say("%s: %s", p.Say(t.Title), parts.Or(strings.Join(all, p.Say("; ")), parts.Dash)))...)
		for _, s := range v.Decisions() {
			if lines := item(s); len(p.tables) == 1 && len(head)+len(kinds)+len(decisions)+len(lines)+linesBeside <= shortLines {
				decisions = append(decisions, lines...)
			}
		}
	}
	path := parts.Or(p.in.Path, "results/"+p.run.ID+"/"+Name(p.Language))
	return strings.Join(slices.Concat(head, []string{""}, decisions, kinds, []string{"", p.Say("report: %s", path), ""}), "\n")
}

// item is a sentence of a list.
func item(s string) (out []string) {
	for i, l := range textwrap.Wrap(strings.ReplaceAll(s, "`", ""), shortWidth-2) {
		out = append(out, map[bool]string{true: "- ", false: "  "}[i == 0]+l)
	}
	return out
}

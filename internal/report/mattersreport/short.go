package mattersreport

import (
	"slices"
	"strings"

	"h2lab/internal/base/textwrap"
	"h2lab/internal/report/parts"
)

// The terminal's version is as wide and high as those of the other reports.
const (
	shortWidth = 100
	shortLines = 25
)

const (
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

// Short returns the page for a terminal: the sentence, the warnings, the sentences about each limit as far as
// they have room, and the page's path.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newSheet(in)
	var head []string
	for _, l := range textwrap.Wrap(strings.ReplaceAll(p.Headline(), "`", ""), shortWidth) {
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
	var limits []string
	if base, ok := p.Base(); ok {
		for _, limit := range p.Map.Limits() {
			for _, s := range p.About(base, limit) {
				lines := item(s)
				if strings.Contains(p.Headline(), s) || len(head)+len(limits)+len(lines)+3 > shortLines {
					continue
				}
				limits = append(limits, lines...)
			}
		}
	}
	path := parts.Or(p.in.Path, "results/"+p.run().ID+"/"+Name(p.Language))
	return strings.Join(slices.Concat(head, []string{""}, limits, []string{"", "report: " + path, ""}), "\n")
}

// item is a sentence of a list.
func item(s string) (out []string) {
	for i, l := range textwrap.Wrap(strings.ReplaceAll(s, "`", ""), shortWidth-2) {
		out = append(out, map[bool]string{true: "- ", false: "  "}[i == 0]+l)
	}
	return out
}

func capital(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return strings.ToUpper(string(r[0])) + string(r[1:])
}

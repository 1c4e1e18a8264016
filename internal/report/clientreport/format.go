package clientreport

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
)

// The formats of numbers and texts that all reports share.
var (
	measure, seconds, or = parts.Measure, parts.Seconds, parts.Or
	escape, code, block  = parts.Escape, parts.Code, parts.Block
	prose                = markdown.Prose
)

const (
	dash  = parts.Dash
	space = parts.Space
)

// symbols are printed before the verdicts. They differ in shape, so that no reader depends on
// colour.
var symbols = map[clientverdicts.Verdict]string{
	clientverdicts.Sound: "✓", clientverdicts.Stampedes: "≫", clientverdicts.Loses: "✗", clientverdicts.Duplicates: "‼",
	clientverdicts.Hangs:   "∞",
	clientverdicts.Crashes: "†", clientverdicts.Lies: "≠", clientverdicts.Inconclusive: "?",
	clientverdicts.Unsupported: "∅",
}

// verdict returns a verdict with its symbol.
func (p *page) verdict(v clientverdicts.Verdict) string {
	if v == "" {
		return dash
	}
	return symbols[v] + space + strings.ReplaceAll(p.In(v.Words()), " ", space)
}

// whole writes a count with thousands separators.
func whole[T int | int64](v T) string { return text.Count(v) }

func known(v *int64) string { return text.Maybe(v, text.Count[int64]) }

// link links to a client's section.
func link(c facts.Client) string { return "[" + code(string(c)) + "](#" + anchor(c) + ")" }

// anchor is the id of a client's section, stable as long as its name is. The prefix distinguishes
// it from the anchors that GitHub makes of headings.
func anchor(c facts.Client) string { return "client-" + markdown.Anchor(string(c)) }

// place is the target of link.
func place(c facts.Client) string { return `<a id="` + anchor(c) + `"></a>` }

func (p *page) links(cs []facts.Client) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = link(c)
	}
	return p.Language.List(out)
}

func clientsOf(rows []*clientverdicts.Row) []facts.Client {
	out := make([]facts.Client, len(rows))
	for i, r := range rows {
		out[i] = r.Client
	}
	return out
}

// speaks returns a protocol's name in prose.
func speaks(p facts.Protocol) string {
	if p == facts.H1 {
		return "HTTP/1.1"
	}
	return "HTTP/2"
}

// sentence adds a capital at the beginning and a full stop at the end.
func (p *page) sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if p.Translated() {
		return strings.TrimRight(s, "。.") + "。"
	}
	r := []rune(s)
	s = strings.ToUpper(string(r[0])) + string(r[1:])
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	return s
}

package clientreport

import (
	"fmt"
	"strings"

	"h2lab/internal/base/texts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/parts"
)

// Short is the summary for a terminal.
func Short(in parts.Input, _ bool) string {
	p := newPage(in)
	var out strings.Builder
	writeRows(&out, p.Language, p.rows)
	for _, w := range Warnings(p.Result) {
		out.WriteString(p.Say("command.note", p.In(w)) + "\n")
	}
	return out.String() + Headline(p.Language, p.rows) + p.Say("command.page", p.Path) + "\n"
}

// Headline counts the verdicts of libraries with default settings apart from those of their variants.
func Headline(l texts.Language, rows []clientverdicts.Row) string {
	var out strings.Builder
	defaults, variants := clientverdicts.AsTheyCome(rows)
	for _, group := range []struct {
		one, many string
		rows      []clientverdicts.Row
	}{{"command.library-comes", "command.libraries-come", defaults},
		{"command.variant-cure", "command.variants-cures", variants}} {
		form := group.many
		switch len(group.rows) {
		case 0:
			continue
		case 1:
			form = group.one
		}
		out.WriteString(l.Say(form, len(group.rows), l.List(tallies(l, group.rows))) + "\n")
	}
	return out.String()
}

// tallies returns how many rows have each verdict, as text: "28 sound".
func tallies(l texts.Language, rows []clientverdicts.Row) (out []string) {
	for _, t := range clientverdicts.Count(rows) {
		out = append(out, l.Say("command.counted", t.Rows, plural(l, t)))
	}
	return out
}

// plural is the verdict's text for several clients.
func plural(l texts.Language, t clientverdicts.Tally) string {
	words := l.In(t.Verdict.Words())
	if t.Rows == 1 || !t.Verdict.Faulty() || l == texts.Chinese {
		return words
	}
	return map[clientverdicts.Verdict]string{
		clientverdicts.Lies: "lie", clientverdicts.Crashes: "crash", clientverdicts.Hangs: "hang",
		clientverdicts.Duplicates: "duplicate requests",
		clientverdicts.Loses:      "lose requests", clientverdicts.Stampedes: "stampede",
	}[t.Verdict]
}

// writeRows writes one line for each client: its verdict, the other verdicts that apply, and the
// first reason.
func writeRows(out *strings.Builder, l texts.Language, rows []clientverdicts.Row) {
	for _, r := range rows {
		words := []string{l.In(r.Verdict.Words())}
		for _, v := range r.Also {
			words = append(words, l.In(v.Words()))
		}
		reason := ""
		if len(r.Reasons) > 0 {
			reason = l.In(r.Reasons[0])
		}
		at := ""
		if r.Limit != 0 && r.At != nil {
			at = l.Say("command.limit", r.Limit)
		}
		fmt.Fprintf(out, "%-32s %s\n", r.Client, l.Say("command.labelled", l.List(words), at, reason))
	}
}

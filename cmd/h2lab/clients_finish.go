package main

import (
	"fmt"
	"strings"

	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/translations"
)

// finishClients draws the page of a client matrix that ended with err and prints its summary on stdout.
func (a *app) finishClients(dir string, err error) error {
	return ended(dir, err, func() error { return a.reportClients(dir) })
}

func (a *app) reportClients(dir string) error {
	r, err := results.Read(dir)
	if err != nil {
		return err
	}
	if err := rundir.DrawClients(dir, r); err != nil {
		return err
	}
	page, err := a.newest(dir, clientreport.Name(a.language))
	if err != nil {
		return err
	}
	rows := clientverdicts.Rows(r)
	a.printRows(rows)
	for _, w := range clientreport.Warnings(r) {
		fmt.Fprintln(a.stdout, a.say("command.note", a.language.RecordedOne(w)))
	}
	fmt.Fprintf(a.stdout, "%s%s\n", a.headline(rows), a.say("command.page", page))
	return nil
}

// headline counts the verdicts of libraries with default settings apart from those of their variants.
func (a *app) headline(rows []clientverdicts.Row) string {
	var out strings.Builder
	defaults, variants := clientverdicts.AsTheyCome(rows)
	for _, group := range []struct {
		one, many translations.Phrase
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
		out.WriteString(a.say(form, len(group.rows), a.language.List(a.tallies(group.rows))) + "\n")
	}
	return out.String()
}

// tallies returns how many rows have each verdict, as text: "28 sound".
func (a *app) tallies(rows []clientverdicts.Row) (out []string) {
	for _, t := range clientverdicts.Count(rows) {
		out = append(out, a.say("command.counted", t.Rows, a.plural(t)))
	}
	return out
}

// plural is the verdict's text for several clients.
func (a *app) plural(t clientverdicts.Tally) string {
	words := a.language.In(t.Verdict.Words())
	if t.Rows == 1 || !t.Verdict.Faulty() || a.language == translations.Chinese {
		return words
	}
	return map[clientverdicts.Verdict]string{
		clientverdicts.Lies: "lie", clientverdicts.Crashes: "crash", clientverdicts.Hangs: "hang",
		clientverdicts.Duplicates: "duplicate requests",
		clientverdicts.Loses:      "lose requests", clientverdicts.Stampedes: "stampede",
	}[t.Verdict]
}

// printRows prints one line for each client: its verdict, the other verdicts that apply, and the
// first reason.
func (a *app) printRows(rows []clientverdicts.Row) {
	for _, r := range rows {
		words := []string{a.language.In(r.Verdict.Words())}
		for _, v := range r.Also {
			words = append(words, a.language.In(v.Words()))
		}
		reason := ""
		if len(r.Reasons) > 0 {
			reason = a.language.In(r.Reasons[0])
		}
		at := ""
		if r.Limit != 0 && r.At != nil {
			at = a.say("command.limit", r.Limit)
		}
		fmt.Fprintf(a.stdout, "%-32s %s\n", r.Client, a.say("command.labelled", a.language.List(words), at, reason))
	}
}

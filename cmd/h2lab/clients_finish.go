package main

import (
	"fmt"
	"io"
	"strings"

	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/rundir"
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
	page, err := a.newest(dir, rundir.ClientsPage)
	if err != nil {
		return err
	}
	rows := clientverdicts.Rows(r)
	printRows(a.stdout, rows)
	for _, w := range clientreport.Warnings(r) {
		fmt.Fprintf(a.stdout, "Note: %s\n", w)
	}
	fmt.Fprintf(a.stdout, "%sThe page: %s\n", headline(rows), page)
	return nil
}

// headline counts the verdicts of libraries with default settings apart from those of their variants.
func headline(rows []clientverdicts.Row) string {
	var out strings.Builder
	defaults, variants := clientverdicts.AsTheyCome(rows)
	for _, group := range []struct {
		one, many string
		rows      []clientverdicts.Row
	}{{"library as it comes", "libraries as they come", defaults},
		{"variant or cure", "variants and cures", variants}} {
		if n := len(group.rows); n == 1 {
			fmt.Fprintf(&out, "1 %s: %s\n", group.one, strings.Join(tallies(group.rows), ", "))
		} else if n > 1 {
			fmt.Fprintf(&out, "%d %s: %s\n", n, group.many, strings.Join(tallies(group.rows), ", "))
		}
	}
	return out.String()
}

// tallies returns how many rows have each verdict, as text: "28 sound".
func tallies(rows []clientverdicts.Row) (out []string) {
	for _, t := range clientverdicts.Count(rows) {
		out = append(out, fmt.Sprintf("%d %s", t.Rows, plural(t)))
	}
	return out
}

// plural is the verdict's text for several clients.
func plural(t clientverdicts.Tally) string {
	words := t.Verdict.Words()
	if t.Rows == 1 || !t.Verdict.Faulty() {
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
func printRows(w io.Writer, rows []clientverdicts.Row) {
	for _, r := range rows {
		words := []string{r.Verdict.Words()}
		for _, v := range r.Also {
			words = append(words, v.Words())
		}
		reason := ""
		if len(r.Reasons) > 0 {
			reason = r.Reasons[0]
		}
		at := ""
		if r.Limit != 0 && r.At != nil {
			at = fmt.Sprintf(" (limit %d)", r.Limit)
		}
		fmt.Fprintf(w, "%-32s %s%s: %s\n", r.Client, strings.Join(words, ", "), at, reason)
	}
}

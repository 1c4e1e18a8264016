package decode

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/output"
)

const (
	width  = 100
	indent = 12
)

// WriteText writes the report as text: facts, what they mean, what to change, and the command to
// run next.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.summary(&b)
	for i, f := range r.Findings {
		f.write(&b, i+1, r)
	}
	fmt.Fprintf(&b, "next: %s\n", r.Next)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) summary(b *strings.Builder) {
	lines, long := 0, 0
	for _, in := range r.Inputs {
		lines += in.Lines
		long += in.LongLines
	}
	if r.Events == 0 {
		b.WriteString("nothing to decode: the input is empty\n\n")
		return
	}
	known := r.Events - r.Other
	switch {
	case known == 0 && r.Events == 1:
		b.WriteString("nothing to decode: the text states no failure of HTTP/2 or gRPC, and no connection error\n")
	case r.Events > 1:
		fmt.Fprintf(b, "%s, %s: %s recognised, %s unrelated, %s unknown, %s about something else\n",
			numfmt.Things(lines, "line"), numfmt.Things(r.Events, "message"),
			numfmt.Count(r.Recognised), numfmt.Count(r.Unrelated), numfmt.Count(r.Unknown), numfmt.Count(r.Other))
	}
	if long > 0 {
		fmt.Fprintf(b, "%s longer than 64 KiB, read in pieces: each diagnosis is counted once a line\n",
			numfmt.Things(long, "line"))
	}
	if known == 0 || r.Events > 1 || long > 0 {
		b.WriteString("\n")
	}
}

// write prints one diagnosis.
func (f Reported) write(b *strings.Builder, n int, r Report) {
	if r.Events > 1 {
		where := fmt.Sprintf("line %d", f.Line)
		if len(r.Inputs) > 1 {
			where = f.Input + " " + where
		}
		fmt.Fprintf(b, "%d. %s  (%s ×, first at %s)\n", n, f.Title, numfmt.Count(f.Count), textwrap.Clip(where, 60))
	} else {
		b.WriteString(f.Title + "\n")
	}
	field(b, "text", f.Text)
	field(b, "library", f.speaker())
	for i, p := range f.Proves {
		field(b, map[bool]string{true: "proves"}[i == 0], p.Says+": \""+p.Words+"\"")
	}
	if len(f.LastStreamIDs) > 0 && f.Count > 1 {
		field(b, "last ids", f.idWords())
	}
	for i, k := range f.Also {
		field(b, map[bool]string{true: "also"}[i == 0], "the text also says: "+rules[k].title)
	}
	for i, k := range f.MayBe {
		field(b, map[bool]string{true: "may be"}[i == 0], "the same words can also mean: "+rules[k].title)
	}
	field(b, "weak", f.Reservation)
	field(b, "happened", f.Happened)
	if f.Executed != nil {
		field(b, "executed", answerWords[*f.Executed]+": "+f.Why)
		field(b, "retry", f.RetryWhy)
	}
	for i, d := range f.Decides {
		field(b, map[bool]string{true: "decides"}[i == 0], d)
	}
	for i, c := range f.Changes {
		c.write(b, i == 0)
	}
	if len(f.Seen) > 0 {
		field(b, "measured", "docs/clients.md: "+strings.Join(f.Seen, ", "))
	}
	field(b, "links", strings.Join(f.Links, " · "))
	b.WriteString("\n")
}

var answerWords = map[Answer]string{No: "certainly not", Maybe: "maybe", Yes: "yes", CantSay: "unknown"}

func (f Reported) speaker() string {
	switch {
	case f.Library == "":
		return "not known"
	case f.Versions == "" || f.Versions == "all":
		return f.Library
	}
	return f.Library + " (versions: " + f.Versions + ")"
}

// idWords says whether the ids show a limit: a limit ends connections at the same id again and
// again.
func (f Reported) idWords() string {
	var parts []string
	for _, id := range f.LastStreamIDs {
		parts = append(parts, fmt.Sprintf("%d (%s ×)", id.ID, numfmt.Count(id.Count)))
	}
	words := strings.Join(parts, ", ")
	first, second := f.LastStreamIDs[0], 0
	if len(f.LastStreamIDs) > 1 {
		second = f.LastStreamIDs[1].Count
	}
	switch {
	case first.ID == maxID || first.Count < 3 && len(parts) < 3:
	case first.Count >= 3 && first.Count >= 5*second:
		words += ": the same again and again, so a limit on requests"
	case len(parts) > 2:
		words += ": they differ, so rather age, idleness or reloads than a limit"
	}
	return words
}

// write writes the line to paste unwrapped, and its place and reason below it.
func (c Change) write(b *strings.Builder, first bool) {
	label := ""
	if first {
		label = "change"
	}
	line := strings.ReplaceAll(c.Line, "\n", "\n"+strings.Repeat(" ", indent+2))
	fmt.Fprintf(b, "  %-*s%s: %s\n", indent-2, label, c.For, line)
	note := c.Why
	if c.Where != "" {
		note = "in " + c.Where + "; " + note
	}
	if c.Row != "" {
		how := map[string]string{
			cured:     "measured: it cures",
			partly:    "measured: it cures a part",
			undecided: "its row met too few renewals to decide",
		}[c.Outcome]
		if note != "" {
			note += "; "
		}
		note += how + ": docs/clients.md#client-" + c.Row
	}
	if note != "" {
		field(b, "", "("+note+")")
	}
}

// field writes a label and its text, wrapped. A word longer than a line is not broken.
func field(b *strings.Builder, label, words string) {
	if words == "" {
		return
	}
	b.WriteString(textwrap.Hanging(fmt.Sprintf("  %-*s", indent-2, label), strings.Repeat(" ", indent), words, width) +
		"\n")
}

// Listed is a known text, as --list shows it.
type Listed struct {
	ID       string   `json:"id"`
	Library  string   `json:"library"`
	Versions string   `json:"versions"`
	Kind     Kind     `json:"kind"`
	Title    string   `json:"title"`
	Executed *Answer  `json:"executed"`
	Example  string   `json:"example"`
	Links    []string `json:"links"`
}

// List is every known text.
func List() []Listed {
	var out []Listed
	for _, s := range Known() {
		l := Listed{
			ID:       s.ID,
			Library:  s.Library,
			Versions: s.Versions,
			Kind:     s.Kind,
			Title:    rules[s.Kind].title,
			Example:  s.Example,
			Links:    s.Links,
		}
		if l.Links == nil {
			l.Links = []string{}
		}
		a := cmp.Or(s.Executed, rules[s.Kind].executed)
		if a != "" {
			l.Executed = &a
		}
		out = append(out, l)
	}
	return out
}

// WriteList writes the known texts, one paragraph each.
func WriteList(w io.Writer) error {
	var b strings.Builder
	known := List()
	for _, l := range known {
		b.WriteString(l.ID + "\n")
		field(&b, "library", Reported{Library: l.Library, Versions: l.Versions}.speaker())
		field(&b, "as in", textwrap.Clip(l.Example, mostText))
		field(&b, "means", l.Title)
		field(&b, "links", strings.Join(l.Links, " · "))
	}
	links := 0
	var seen []string
	for _, l := range known {
		for _, link := range l.Links {
			if !slices.Contains(seen, link) {
				seen = append(seen, link)
				links++
			}
		}
	}
	fmt.Fprintf(&b, "\n%d texts, %d public reports and sources\n", len(known), links)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteListJSON writes every known text as one JSON document.
func WriteListJSON(w io.Writer) error {
	return output.JSON(w, struct {
		SchemaVersion int      `json:"schema_version"`
		Known         []Listed `json:"known"`
	}{SchemaVersion, List()})
}

package decode

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	format "h2lab/internal/base/text"
	"h2lab/internal/field/output"
)

const (
	width  = 100
	indent = 12
)

// printer collects the text in the user's language.
type printer struct {
	strings.Builder
	in output.Translate
}

// WriteText writes the report as text: facts, what they mean, what to change, and the command to
// run next.
func (r Report) WriteText(w io.Writer, in output.Translate) error {
	b := printer{in: in}
	r.summary(&b)
	for i, f := range r.Findings {
		f.write(&b, i+1, r)
	}
	b.WriteString(in.Say("next: ") + in.Command(r.Next) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) summary(b *printer) {
	lines, long := 0, 0
	for _, in := range r.Inputs {
		lines += in.Lines
		long += in.LongLines
	}
	if r.Events == 0 {
		b.line("nothing to decode: the input is empty")
		b.WriteString("\n")
		return
	}
	known := r.Events - r.Other
	switch {
	case r.Missed:
		b.line("nothing that decode knows: the text names no event of HTTP/2, gRPC or a connection")
		b.line("If a request over HTTP/2 or gRPC failed, the lines before it or the client's debug log say why.")
	case known == 0 && r.Events == 1:
		b.line("nothing to decode: the text states no failure of HTTP/2 or gRPC, and no connection error")
	case r.Events > 1:
		b.line("%s, %s: %s recognised, %s unrelated, %s unknown, %s about something else",
			format.Things(lines, "line"), format.Things(r.Events, "message"),
			format.Count(r.Recognised), format.Count(r.Unrelated), format.Count(r.Unknown), format.Count(r.Other))
	}
	if long > 0 {
		b.line("%s longer than 64 KiB, read in pieces: each diagnosis is counted once a line",
			format.Things(long, "line"))
	}
	if known == 0 || r.Events > 1 || long > 0 {
		b.WriteString("\n")
	}
}

// line writes a line.
func (b *printer) line(format string, args ...any) {
	b.WriteString(b.in.Say(fmt.Sprintf(format, args...)) + "\n")
}

// write prints one diagnosis.
func (f Reported) write(b *printer, n int, r Report) {
	b.WriteString(f.heading(b.in, n, r) + "\n")
	b.quote("text", f.Text)
	b.field("library", f.speaker())
	for i, p := range f.Proves {
		b.quote(labelled("proves", i), b.in.Say(p.Says)+b.in.Say(": ")+"\""+p.Words+"\"")
	}
	if len(f.LastStreamIDs) > 0 && f.Count > 1 {
		b.field("last ids", f.idWords())
	}
	for i, k := range f.Also {
		b.field(labelled("also", i), rules[k].title)
	}
	for i, k := range f.MayBe {
		b.field(labelled("may be", i), k.reading())
	}
	b.field("weak", f.Reservation)
	b.field("happened", f.Happened)
	if f.Executed != nil {
		b.field("executed", answerWords[*f.Executed]+": "+f.Why)
		b.field("retry", f.RetryWhy)
	}
	for i, d := range f.Decides {
		b.field(labelled("decides", i), d)
	}
	for i, c := range f.Changes {
		c.write(b, i == 0)
	}
	if len(f.Seen) > 0 {
		b.quote("measured", "docs/clients.md"+b.in.Say(": ")+strings.Join(f.Seen, ", "))
	}
	b.quote("links", strings.Join(f.Links, " · "))
	b.WriteString("\n")
}

// reading is what a kind is called among the things that a text can mean.
func (k Kind) reading() string {
	if k == Unrelated {
		return "something else: another protocol, an error of the service's own, or no failure"
	}
	return rules[k].title
}

// heading is the diagnosis, with its number and first place where the input has several messages.
func (f Reported) heading(in output.Translate, n int, r Report) string {
	title := in.Say(f.Title)
	if r.Events <= 1 {
		return title
	}
	where := in.Say(fmt.Sprintf("line %d", f.Line))
	if len(r.Inputs) > 1 {
		where = f.Input + " " + where
	}
	return fmt.Sprintf("%d. %s  (%s)", n, title,
		in.Say(fmt.Sprintf("%s ×, first at %s", format.Count(f.Count), format.ClipLine(where, 60))))
}

// labelled is the label of a list's first line.
func labelled(label string, i int) string {
	if i > 0 {
		return ""
	}
	return label
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
		parts = append(parts, fmt.Sprintf("%d (%s ×)", id.ID, format.Count(id.Count)))
	}
	words := strings.Join(parts, ", ")
	first, second := f.LastStreamIDs[0], 0
	if len(f.LastStreamIDs) > 1 {
		second = f.LastStreamIDs[1].Count
	}
	switch {
	case first.ID == maxID || first.Count < 3 && len(parts) < 3:
	case first.Count >= 3 && first.Count >= 5*second:
		words += ": one id recurs, which suggests a request limit"
	case len(parts) > 2:
		words += ": they differ, which suggests age, idleness or reloads, not a limit"
	}
	return words
}

// write writes the line to paste unwrapped, and its place and reason below it.
func (c Change) write(b *printer, first bool) {
	label := ""
	if first {
		label = "change"
	}
	line := strings.ReplaceAll(b.in.Say(c.Line), "\n", "\n"+strings.Repeat(" ", indent+2))
	b.WriteString(b.label(label) + b.in.Say(c.For) + b.in.Say(": ") + line + "\n")
	var note []string
	if c.Where != "" {
		note = append(note, b.in.Say("in "+c.Where))
	}
	if c.Why != "" {
		note = append(note, b.in.Say(c.Why))
	}
	if c.Row != "" {
		how := map[string]string{
			cured:     "measured: it cures",
			partly:    "measured: it cures a part",
			undecided: "measured: too few renewals to decide",
		}[c.Outcome]
		note = append(note, b.in.Say(how)+b.in.Say(": ")+"docs/clients.md#client-"+c.Row)
	}
	if len(note) > 0 {
		b.quote("", b.in.Say("(")+strings.Join(note, b.in.Say("; "))+b.in.Say(")"))
	}
}

// field writes a label and its text, wrapped. A word longer than a line is not broken.
func (b *printer) field(label, words string) { b.quote(label, b.in.Say(words)) }

// quote is field for text that is not translated, or is in the user's language.
func (b *printer) quote(label, words string) {
	if words != "" {
		b.WriteString(format.Hanging(b.label(label), strings.Repeat(" ", indent), words, width) + "\n")
	}
}

func (b *printer) label(of string) string { return "  " + format.Pad(b.in.Say(of), indent-2) }

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
func WriteList(w io.Writer, in output.Translate) error {
	b := printer{in: in}
	known := List()
	for _, l := range known {
		b.WriteString(l.ID + "\n")
		b.field("library", Reported{Library: l.Library, Versions: l.Versions}.speaker())
		b.quote("as in", format.ClipLine(l.Example, mostText))
		b.field("means", l.Title)
		b.quote("links", strings.Join(l.Links, " · "))
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
	b.WriteString("\n")
	b.line("%d texts, %d public reports and sources", len(known), links)
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

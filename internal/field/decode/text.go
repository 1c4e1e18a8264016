package decode

import (
	"cmp"
	"io"
	"slices"
	"strings"

	format "h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
)

const (
	width  = 100
	indent = 12
)

// printer collects the text in the user's language.
type printer struct {
	strings.Builder
	language texts.Language
}

func (b *printer) say(t facts.Text) string { return b.language.In(t) }

// line writes a line.
func (b *printer) line(key string, args ...any) { b.WriteString(b.say(facts.T(key, args...)) + "\n") }

// field writes a label and its text, wrapped. A word longer than a line is not broken.
func (b *printer) field(label string, t facts.Text) { b.quote(label, b.say(t)) }

// quote is field for text that is in the user's language, or in none.
func (b *printer) quote(label, words string) {
	if words != "" {
		b.WriteString(format.Hanging(b.label(label), strings.Repeat(" ", indent), words, width) + "\n")
	}
}

// list writes a field of several lines with one label.
func (b *printer) list(label string, lines ...facts.Text) {
	for _, l := range lines {
		b.field(label, l)
		label = ""
	}
}

func (b *printer) label(key string) string {
	words := ""
	if key != "" {
		words = b.say(facts.T(key))
	}
	return "  " + format.Pad(words, indent-2)
}

// WriteText writes the report as text: facts, what they mean, what to change, and the command to
// run next.
func (r Report) WriteText(w io.Writer, l texts.Language) error {
	b := printer{language: l}
	r.summary(&b)
	for i, f := range r.Findings {
		f.write(&b, i+1, r)
	}
	if next := facts.Text(r.Next); !next.IsZero() {
		b.line("decode.next", next)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (r Report) summary(b *printer) {
	lines, long := 0, 0
	for _, in := range r.Inputs {
		lines += in.Lines
		long += in.LongLines
	}
	if r.Events == 0 {
		b.line("decode.empty")
		b.WriteString("\n")
		return
	}
	known := r.Events - r.Other
	switch {
	case r.Missed:
		b.line("decode.nothing-known")
		b.line("decode.look-before")
	case known == 0 && r.Events == 1:
		b.line("decode.no-failure")
	case r.Events > 1:
		b.line("decode.summary", facts.T("decode.lines", format.Count(lines)), facts.T("decode.messages", format.Count(r.Events)),
			format.Count(r.Recognised), format.Count(r.Unrelated), format.Count(r.Unknown), format.Count(r.Other))
	}
	if long > 0 {
		b.line("decode.long-lines", format.Count(long))
	}
	if known == 0 || r.Events > 1 || long > 0 {
		b.WriteString("\n")
	}
}

// write prints one diagnosis.
func (f Reported) write(b *printer, n int, r Report) {
	b.WriteString(f.heading(b, n, r) + "\n")
	if f.Executed != nil { // what decides at three in the morning comes first
		b.field("decode.label-executed", executedText(*f.Executed, facts.Text(f.Why)))
		b.field("decode.label-retry", facts.Text(f.RetryWhy))
	}
	b.quote("decode.label-text", f.Text)
	b.field("decode.label-library", libraryOf(f.Library, f.Versions))
	var proves, also, mayBe, decides []facts.Text
	for _, p := range f.Proves {
		proves = append(proves, facts.Join("join.colon", facts.Text(p.Says), facts.Verbatim("\""+p.Words+"\"")))
	}
	for _, k := range f.Also {
		also = append(also, rules()[k].Title.Text)
	}
	for _, k := range f.MayBe {
		if mayBe = append(mayBe, rules()[k].Title.Text); k == Unrelated {
			mayBe[len(mayBe)-1] = facts.T("decode.something-else")
		}
	}
	for _, d := range f.Decides {
		decides = append(decides, facts.Text(d))
	}
	b.list("decode.label-proves", proves...)
	if len(f.LastStreamIDs) > 0 && f.Count > 1 {
		b.field("decode.label-last-ids", f.idWords())
	}
	b.list("decode.label-also", also...)
	b.list("decode.label-may-be", mayBe...)
	b.field("decode.label-weak", facts.Text(f.Reservation))
	b.field("decode.label-happened", facts.Text(f.Happened))
	b.list("decode.label-decides", decides...)
	for i, c := range f.Changes {
		c.write(b, i == 0)
	}
	if len(f.Seen) > 0 {
		seen := facts.Verbatim(strings.Join(f.Seen, ", "))
		b.field("decode.label-measured", facts.Join("join.colon", facts.Verbatim("docs/clients.md"), seen))
	}
	b.quote("decode.label-links", strings.Join(f.Links, " · "))
	b.WriteString("\n")
}

// executedText says whether the request was executed, and why.
func executedText(a Answer, why facts.Text) facts.Text {
	switch a {
	case No:
		return facts.T("decode.executed-no", why)
	case Yes:
		return facts.T("decode.executed-yes", why)
	case Maybe:
		return facts.T("decode.executed-maybe", why)
	}
	return facts.T("decode.executed-unknown", why)
}

// heading is the diagnosis, with its number and first place where the input has several messages.
func (f Reported) heading(b *printer, n int, r Report) string {
	title := b.say(facts.Text(f.Title))
	if r.Events <= 1 {
		return title
	}
	where := b.say(facts.T("decode.line", format.Count(f.Line)))
	if len(r.Inputs) > 1 {
		where = f.Input + " " + where
	}
	place := b.say(facts.T("decode.first-at", format.Count(f.Count), format.ClipLine(where, 60)))
	return format.Count(n) + ". " + title + "  (" + place + ")"
}

func libraryOf(library, versions Words) facts.Text {
	switch v := texts.English.In(versions.Text); {
	case library.IsZero():
		return facts.T("decode.not-known")
	case v == "" || v == "all":
		return library.Text
	}
	return facts.T("decode.versions", library.Text, versions.Text)
}

// idWords says whether the ids show a limit: a limit ends connections at the same id again and
// again.
func (f Reported) idWords() facts.Text {
	var parts []facts.Text
	for _, id := range f.LastStreamIDs {
		parts = append(parts, facts.T("decode.id", int(id.ID), format.Count(id.Count)))
	}
	words := facts.Join("join.comma", parts...)
	first, second := f.LastStreamIDs[0], 0
	if len(f.LastStreamIDs) > 1 {
		second = f.LastStreamIDs[1].Count
	}
	switch {
	case first.ID == maxID || first.Count < 3 && len(parts) < 3:
	case first.Count >= 3 && first.Count >= 5*second:
		return facts.T("decode.one-id", words)
	case len(parts) > 2:
		return facts.T("decode.ids-differ", words)
	}
	return words
}

// write writes the line to paste unwrapped, and its place and reason below it.
func (c Change) write(b *printer, first bool) {
	label := ""
	if first {
		label = "decode.label-change"
	}
	line := strings.ReplaceAll(b.say(c.Line.Text), "\n", "\n"+strings.Repeat(" ", indent+2))
	of := facts.Verbatim(b.say(c.For.Text))
	b.WriteString(b.label(label) + b.language.In(facts.Join("join.colon", of, facts.Verbatim(line))) + "\n")
	var note []facts.Text
	if where := b.say(c.Where.Text); where != "" {
		note = append(note, facts.T("decode.in", where))
	}
	if why := b.say(c.Why.Text); why != "" {
		note = append(note, facts.Verbatim(why))
	}
	if c.Row != "" {
		how := map[string]facts.Text{cured: facts.T("decode.cured"), "partly": facts.T("decode.partly"),
			"cant-be-told": facts.T("decode.undecided")}
		note = append(note, facts.Join("join.colon", how[c.Outcome], facts.Verbatim("docs/clients.md#client-"+c.Row)))
	}
	if len(note) > 0 {
		b.field("", facts.T("decode.note", facts.Join("join.semicolon", note...)))
	}
}

// Listed is a known text, as --list shows it.
type Listed struct {
	ID       string         `json:"id"`
	Library  Words          `json:"library"`
	Versions Words          `json:"versions"`
	Kind     Kind           `json:"kind"`
	Title    texts.Sentence `json:"title"`
	Executed *Answer        `json:"executed"`
	Example  string         `json:"example"`
	Links    []string       `json:"links"`
}

// List is every known text.
func List() []Listed {
	var out []Listed
	for _, s := range Known() {
		l := Listed{ID: s.ID, Library: s.Library, Versions: s.Versions, Kind: s.Kind, Title: said(rules()[s.Kind].Title.Text),
			Example: s.Example, Links: append([]string{}, s.Links...)}
		if a := cmp.Or(s.Executed, rules()[s.Kind].Executed); a != "" {
			l.Executed = &a
		}
		out = append(out, l)
	}
	return out
}

// WriteList writes the known texts, one paragraph each.
func WriteList(w io.Writer, l texts.Language) error {
	b := printer{language: l}
	known := List()
	var seen []string
	for _, l := range known {
		b.WriteString(l.ID + "\n")
		b.field("decode.label-library", libraryOf(l.Library, l.Versions))
		b.quote("decode.label-as-in", format.ClipLine(l.Example, mostText))
		b.field("decode.label-means", facts.Text(l.Title))
		b.quote("decode.label-links", strings.Join(l.Links, " · "))
		seen = append(seen, l.Links...)
	}
	slices.Sort(seen)
	b.WriteString("\n")
	b.line("decode.listed", format.Count(len(known)), format.Count(len(slices.Compact(seen))))
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

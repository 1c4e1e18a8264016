package trace

import (
	"fmt"
	"strings"

	"h2lab/internal/base/notes"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/facts"
)

const (
	width  = 98 // of a line
	indent = 13 // where notes begin
)

// Text formats a trace for people: what was requested, every frame with its direction, a summary,
// and what to do next.
func Text(t facts.FrameTrace) string {
	var b strings.Builder
	b.WriteString(heading(t))
	b.WriteString("\n       ms       frame         stream  bytes  flags and content\n")
	said := ""
	for i, f := range t.Renewal.Frames {
		if opensNext(i, f) {
			b.WriteString("\n")
		}
		b.WriteString(line(f))
		note := clean(notes.InEnglish(f.Note))
		switch note {
		case "":
		case said:
			b.WriteString(noted("the same"))
		default:
			b.WriteString(noted(note))
			said = note
		}
	}
	b.WriteString("\n")
	if t.Renewal.Summary != "" {
		b.WriteString(strings.Join(textwrap.Wrap(clean(notes.SummaryInEnglish(t.Renewal.Summary)), width), "\n") + "\n")
	}
	for _, w := range t.Warnings {
		b.WriteString(strings.Join(textwrap.Wrap("note: "+clean(notes.InEnglish(w)), width), "\n") + "\n")
	}
	for _, n := range t.Next {
		b.WriteString("next: " + clean(n) + "\n")
	}
	return b.String()
}

// noted is a note below its frame.
func noted(note string) string {
	before := strings.Repeat(" ", indent)
	return textwrap.Hanging(before+"└─ ", before+"   ", note, width) + "\n"
}

// heading says what was requested, and where the limit is from.
func heading(t facts.FrameTrace) string {
	words := []string{version(t)}
	if t.TLS != "" {
		words = append(words, clean(t.TLS))
	}
	where := clean(t.URL)
	if t.Address != "" {
		where += " at " + clean(t.Address)
	}
	out := fmt.Sprintf("%s: %s; times since the dial began\n", where, strings.Join(words, ", "))
	if !t.Verified && t.TLS != "" {
		out += "the certificate was NOT verified (--insecure): who answered is not proven\n"
	}
	switch {
	case t.Limit != nil && t.LimitGiven:
		out += fmt.Sprintf("limit: %d requests on one connection, as --limit says\n", *t.Limit)
	case t.Limit != nil:
		out += fmt.Sprintf("limit: %d requests on one connection, found by asking first\n", *t.Limit)
	case t.AskedUpTo != nil:
		out += fmt.Sprintf("limit: none met in %d requests on one connection\n", *t.AskedUpTo)
	}
	return out
}

// line is one frame. An arrow to the peer marks a sent frame.
func line(f facts.Frame) string {
	if f.Type == facts.FrameGap {
		return fmt.Sprintf("%9s   ⋮   %s\n", "", clean(f.Detail))
	}
	arrow := "◀──"
	if f.Sent {
		arrow = "──▶"
	}
	name := clean(f.Type)
	if f.Type == "TCP" || f.Type == "TLS" {
		return fmt.Sprintf("%9.2f  %s  %-13s %s\n", f.TMS, arrow, name, clean(f.Detail))
	}
	stream := ""
	if f.StreamID > 0 {
		stream = fmt.Sprint(f.StreamID)
	}
	words := strings.TrimSpace(clean(f.Flags) + "  " + clean(f.Detail))
	out := fmt.Sprintf("%9.2f  %s  %-13s %6s %6d  ", f.TMS, arrow, name, stream, f.Length)
	return textwrap.Hanging(out, strings.Repeat(" ", textwrap.Columns(out)), words, width) + "\n"
}

package trace

import (
	"fmt"
	"strings"

	"h2lab/internal/base/notes"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
)

const (
	width  = 98 // of a line
	indent = 13 // where notes begin
)

// Text formats a trace for people: what was requested, every frame with its direction, a summary,
// and what to do next.
func Text(t facts.FrameTrace, in output.Translate) string {
	var b strings.Builder
	b.WriteString(heading(t, in))
	b.WriteString("\n" + in.Say("       ms       frame         stream  bytes  flags and content") + "\n")
	said := ""
	for i, f := range t.Renewal.Frames {
		if opensNext(i, f) {
			b.WriteString("\n")
		}
		b.WriteString(line(f, in))
		note := clean(notes.InEnglish(f.Note))
		switch note {
		case "":
		case said:
			b.WriteString(noted(in.Say("the same")))
		default:
			b.WriteString(noted(in.Say(note)))
			said = note
		}
	}
	b.WriteString("\n")
	folded := func(content string) { b.WriteString(strings.Join(text.Wrap(content, width), "\n") + "\n") }
	if t.Renewal.Summary != "" {
		folded(in.Say(clean(notes.SummaryInEnglish(t.Renewal.Summary))))
	}
	for _, w := range t.Warnings {
		folded(in.Say("note: ") + in.Say(clean(notes.InEnglish(w))))
	}
	for _, n := range t.Next {
		b.WriteString(in.Say("next: ") + in.Command(clean(n)) + "\n")
	}
	return b.String()
}

// noted is a note below its frame.
func noted(note string) string {
	before := strings.Repeat(" ", indent)
	return text.Hanging(before+"└─ ", before+"   ", note, width) + "\n"
}

// heading says what was requested, and where the limit is from.
func heading(t facts.FrameTrace, in output.Translate) string {
	where := clean(t.URL)
	if t.Address != "" {
		where += in.Say(" at ") + clean(t.Address)
	}
	words := version(t)
	if t.TLS != "" {
		words += in.Say(", ") + clean(t.TLS)
	}
	lines := []string{where + in.Say(": ") + words + in.Say("; ") + in.Say("times since the dial began")}
	say := func(format string, args ...any) { lines = append(lines, in.Say(fmt.Sprintf(format, args...))) }
	if !t.Verified && t.TLS != "" {
		say("the certificate was NOT verified (--insecure): who answered is not proven")
	}
	switch {
	case t.Limit != nil && t.LimitGiven:
		say("limit: %d requests on one connection, as --limit says", *t.Limit)
	case t.Limit != nil && t.LimitVaries:
		say("limit: no single one; this trace goes to %d, one of the numbers at which connections ended", *t.Limit)
	case t.Limit != nil && *t.Limit == 1:
		say("limit: 1 request on one connection, found by a probe first")
	case t.Limit != nil:
		say("limit: %d requests on one connection, found by a probe first", *t.Limit)
	case t.AskedUpTo != nil:
		say("limit: none met in %d requests on one connection", *t.AskedUpTo)
	}
	return strings.Join(lines, "\n") + "\n"
}

// line is one frame. An arrow to the peer marks a sent frame.
func line(f facts.Frame, in output.Translate) string {
	if f.Type == facts.FrameGap {
		return fmt.Sprintf("%9s   ⋮   %s\n", "", in.Say(clean(f.Detail)))
	}
	arrow := "◀──"
	if f.Sent {
		arrow = "──▶"
	}
	name := clean(f.Type)
	if f.Type == "TCP" || f.Type == "TLS" {
		return fmt.Sprintf("%9.2f  %s  %-13s %s\n", f.TMS, arrow, name, in.Say(clean(f.Detail)))
	}
	stream := ""
	if f.StreamID > 0 {
		stream = fmt.Sprint(f.StreamID)
	}
	detail := clean(f.Detail)
	if f.Type == "DATA" || f.Type == "HEADERS" { // else it is the frame's own text
		detail = in.Say(detail)
	}
	words := strings.TrimSpace(clean(f.Flags) + "  " + detail)
	out := fmt.Sprintf("%9.2f  %s  %-13s %6s %6d  ", f.TMS, arrow, name, stream, f.Length)
	return text.Hanging(out, strings.Repeat(" ", text.Columns(out)), words, width) + "\n"
}

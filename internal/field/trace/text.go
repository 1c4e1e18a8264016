package trace

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
)

const (
	width  = 98 // of a line
	indent = 13 // where notes begin
)

// Text draws a timeline for a person: what was asked, every frame with its
// direction, what was seen in one sentence, and what to do next.
func Text(t facts.Timeline) string {
	var b strings.Builder
	b.WriteString(heading(t))
	b.WriteString("\n       ms       frame         stream  bytes  flags and content\n")
	said := ""
	for i, f := range t.Renewal.Frames {
		if opensNext(i, f) {
			b.WriteString("\n")
		}
		b.WriteString(line(f))
		note := clean(f.Note)
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
		b.WriteString(strings.Join(wrap(clean(t.Renewal.Summary), width), "\n") + "\n")
	}
	for _, w := range t.Warnings {
		b.WriteString(strings.Join(wrap("note: "+clean(w), width), "\n") + "\n")
	}
	for _, n := range t.Next {
		b.WriteString("next: " + clean(n) + "\n")
	}
	return b.String()
}

// noted is a note below its frame.
func noted(note string) string {
	var b strings.Builder
	lead := "└─ "
	for _, l := range wrap(note, width-indent-3) {
		b.WriteString(strings.Repeat(" ", indent) + lead + l + "\n")
		lead = "   "
	}
	return b.String()
}

// heading says what was asked, and where the limit was known from.
func heading(t facts.Timeline) string {
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

// line is one frame. Its arrow points to the peer for what was sent.
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
	lines := wrap(words, width-len([]rune(out)))
	if len(lines) == 0 {
		return strings.TrimRight(out, " ") + "\n"
	}
	pad := strings.Repeat(" ", len([]rune(out)))
	return out + strings.Join(lines, "\n"+pad) + "\n"
}

// wrap breaks prose at a width in characters; a longer word stays whole up to a bound.
func wrap(s string, at int) []string {
	const longest = 300
	var out []string
	now := ""
	for _, w := range strings.Fields(s) {
		if r := []rune(w); len(r) > longest {
			w = string(r[:longest]) + "…"
		}
		if now != "" && len([]rune(now))+1+len([]rune(w)) > at {
			out = append(out, now)
			now = w
			continue
		}
		now = strings.TrimSpace(now + " " + w)
	}
	if now != "" {
		out = append(out, now)
	}
	return out
}

package family

import (
	"fmt"
	"strings"
)

// lines is the verdict as text: the family, the evidence, what it means, what to change.
func lines(v Verdict) []string {
	out := []string{"server: " + whole(v)}
	if len(v.Candidates) > 0 {
		out = append(out, evidence(v.Candidates[0])...)
		for _, c := range v.Candidates[1:] {
			out = append(out, fmt.Sprintf("  or: %s (%s)", c.Name, c.Sure))
		}
	}
	for _, w := range v.Warnings {
		out = append(out, wrap("note: "+w, "  ")...)
	}
	out = append(out, wrap("limit: "+v.Limit, "  ")...)
	for _, m := range v.Meaning {
		out = append(out, wrap("means: "+m, "  ")...)
	}
	for _, c := range v.Changes {
		out = append(out, wrap(fmt.Sprintf("change, %s, in %s:", c.For, c.Where), "  ")...)
		for line := range strings.Lines(c.Line) {
			out = append(out, "    "+strings.TrimRight(line, "\n"))
		}
		out = append(out, wrap("  ("+c.Why+")", "   ")...)
	}
	return out
}

func whole(v Verdict) string {
	if v.Sure == Unknown {
		return "unknown: what was seen fits no family that this program knows"
	}
	return v.Name + ": " + v.Sure
}

func evidence(c Candidate) []string {
	const indent = "  "
	var out []string
	for _, ev := range c.For {
		out = append(out, wrap(indent+"+ "+ev.Says, indent+"  ")...)
	}
	for _, ev := range c.Against {
		out = append(out, wrap(indent+"- "+ev.Says, indent+"  ")...)
	}
	return out
}

// wrap breaks a line at spaces so that it fits a terminal.
func wrap(text, indent string) []string {
	const width = 100
	var out []string
	for len(text) > width {
		cut := strings.LastIndexByte(text[:width+1], ' ')
		if cut <= len(indent)+1 {
			break // a word longer than a line
		}
		out = append(out, text[:cut])
		text = indent + strings.TrimLeft(text[cut:], " ")
	}
	return append(out, text)
}

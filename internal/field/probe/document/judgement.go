package document

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/family"
)

// judgementLines say what the facts mean, what they cost, what to change, and what to do next.
func judgementLines(e facts.Endpoint, v family.Verdict, p *Price) []string {
	lines := append([]string{""}, wrapped("this is", []string{familyText(v)})...)
	for i, m := range v.Meaning {
		name := "it means"
		if i > 0 {
			name = ""
		}
		lines = append(lines, wrapped(name, []string{m})...)
	}
	for _, w := range v.Warnings {
		lines = append(lines, wrapped("but", []string{w})...)
	}
	lines = append(lines, priceLines(p, e, v.Cause)...)
	for _, c := range v.Changes {
		lines = append(lines, "")
		lines = append(lines, wrapped("change", []string{fmt.Sprintf("%s, %s: %s", c.For, c.Where, c.Why)})...)
		for line := range strings.SplitSeq(strings.TrimRight(c.Line, "\n"), "\n") {
			lines = append(lines, "      "+line)
		}
	}
	if v.Next != "" {
		lines = append(lines, "", "next: "+v.Next)
	}
	return lines
}

// familyText names the family and the evidence, the strongest first.
func familyText(v family.Verdict) string {
	if v.Sure == family.Unknown || len(v.Candidates) == 0 {
		return "unknown: what was seen fits no server that this program knows"
	}
	c := v.Candidates[0]
	text := fmt.Sprintf("%s (%s)", v.Name, v.Sure)
	var evidence []string
	for _, e := range c.For {
		if len(evidence) < 3 {
			evidence = append(evidence, e.Says)
		}
	}
	if len(evidence) > 0 {
		text += ": " + strings.Join(evidence, "; ")
	}
	return text
}

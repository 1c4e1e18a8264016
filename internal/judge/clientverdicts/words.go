package clientverdicts

import (
	"strings"

	"h2lab/internal/base/numfmt"
)

// count writes a whole number with commas.
func count[T int | int64](v T) string { return numfmt.Count(v) }

// things writes a count with its noun.
func things[T int | int64](v T, noun string) string { return numfmt.Things(v, noun) }

// times writes a factor, "74 ×" or "0.9 ×".
func times(v float64) string { return numfmt.Factor(v) }

// rate writes n of 1,000.
func rate(n, of int64) string {
	if of == 0 {
		return "none of 0"
	}
	v := float64(n) / float64(of) * 1000
	switch {
	case v >= 100:
		return numfmt.Whole(v)
	case v >= 0.095:
		return numfmt.Decimals(v, 1)
	}
	return numfmt.Digits(v, 2)
}

// oneLine shortens a message for use in a sentence: its first line, cut. It replaces backticks,
// which would pair with those of the sentence.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(strings.ReplaceAll(s, "`", "'")), "\n")
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return string(r)
}

// value returns the number, or 0 if it is unknown. Use it only in sums in which an unknown number
// doesn't matter.
func value(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}

package clientverdicts

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// What the reasons count, beside the nouns of package core.
const (
	calls      = "clientverdict.calls"
	hungCalls  = "clientverdict.hung-calls"
	lostOnes   = "clientverdict.failed-requests"
	doubles    = "clientverdict.duplicates"
	answered   = "clientverdict.answered-requests"
	successful = "clientverdict.successes"
)

// count writes a whole number with commas.
func count[T int | int64](v T) string { return text.Count(v) }

// times writes a factor, "74 ×" or "0.9 ×".
func times(v float64) string { return text.Factor(v) }

// rate writes n of 1,000.
func (f cellFacts) rate(n, of int64) facts.Text {
	if of == 0 {
		return facts.T("clientverdict.none-of-none")
	}
	v := float64(n) / float64(of) * 1000
	switch {
	case v >= 100:
		return facts.Verbatim(text.Whole(v))
	case v >= 0.095:
		return facts.Verbatim(text.Decimals(v, 1))
	}
	return facts.Verbatim(text.Digits(v, 2))
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

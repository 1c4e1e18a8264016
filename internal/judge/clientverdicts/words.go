package clientverdicts

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// What the reasons count, beside the nouns of package core.
var (
	calls      = core.Noun{One: "%s call", Many: "%s calls"}
	hungCalls  = core.Noun{One: "%s hung call", Many: "%s hung calls"}
	lostOnes   = core.Noun{One: "%s failed request", Many: "%s failed requests"}
	doubles    = core.Noun{One: "%s duplicate", Many: "%s duplicates"}
	answered   = core.Noun{One: "%s answered request", Many: "%s answered requests"}
	successful = core.Noun{One: "%s success", Many: "%s successes"}
)

// count writes a whole number with commas.
func count[T int | int64](v T) string { return text.Count(v) }

// say writes a phrase in the language of the rows.
func (f cellFacts) say(p translations.Phrase, args ...any) string { return f.in.Say(p, args...) }

// things writes a count with its noun.
func (f cellFacts) things(v int64, n core.Noun) string { return core.Things(f.in, float64(v), n) }

// times writes a factor, "74 ×" or "0.9 ×".
func times(v float64) string { return text.Factor(v) }

// rate writes n of 1,000.
func (f cellFacts) rate(n, of int64) string {
	if of == 0 {
		return f.say("none of 0")
	}
	v := float64(n) / float64(of) * 1000
	switch {
	case v >= 100:
		return text.Whole(v)
	case v >= 0.095:
		return text.Decimals(v, 1)
	}
	return text.Digits(v, 2)
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

package core

import (
	"fmt"
	"math"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
)

// Count writes a number of things with commas: whole, or with one decimal if a median falls between
// two small numbers.
func Count(v float64) string {
	if v != math.Trunc(v) && math.Abs(v) < 10 {
		return text.Decimals(v, 1)
	}
	return text.Whole(v)
}

// Noun is a counted thing, singular and plural.
type Noun struct{ One, Many translations.Phrase }

// What the verdicts count.
var (
	Connections    = Noun{"%s connection", "%s connections"}
	NewConnections = Noun{"%s new connection", "%s new connections"}
	Requests       = Noun{"%s request", "%s requests"}
	LostOnes       = Noun{"%s lost request", "%s lost requests"}
	Renewals       = Noun{"%s renewal", "%s renewals"}
	Failures       = Noun{"%s failure", "%s failures"}
)

// Things is a count with its Noun, "1 connection", "2,880 connections".
func Things(in translations.Language, v float64, n Noun) string {
	if v == 1 {
		return in.Say(n.One, "1")
	}
	return in.Say(n.Many, Count(v))
}

// Ratio writes a comparison as "0.43 [0.41, 0.45]", with a ~ if the samples don't differ
// significantly.
func Ratio(in translations.Language, c statistics.Comparison) string {
	if c.Ratio == nil {
		return in.Say("unknown")
	}
	out := fmt.Sprintf("%.2f", *c.Ratio)
	if c.Lo != nil && c.Hi != nil {
		out += fmt.Sprintf(" [%.2f, %.2f]", *c.Lo, *c.Hi)
	}
	if !c.Significant {
		out += " ~"
	}
	return out
}

// Times writes a factor, "74 ×" or "0.9 ×".
func Times(v float64) string { return text.Factor(v) }

// Seconds writes a window's length, "5 s".
func Seconds(v float64) string { return text.Seconds(v) }

// Unique keeps the first of equal strings.
func Unique(in []string) []string {
	out := []string{}
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Known returns an estimate's median, or 0 and false.
func Known(e facts.Estimate) (float64, bool) {
	if e.Median == nil {
		return 0, false
	}
	return *e.Median, true
}

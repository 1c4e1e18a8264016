package runverdicts

import (
	"fmt"
	"math"
	"slices"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
)

// count writes a number of things with commas: whole, or with one decimal if a median falls between
// two small numbers.
func count(v float64) string {
	if v != math.Trunc(v) && math.Abs(v) < 10 {
		return numfmt.Decimals(v, 1)
	}
	return numfmt.Whole(v)
}

// noun is a counted thing, singular and plural.
type noun struct{ one, many translations.Phrase }

var (
	connections    = noun{"%s connection", "%s connections"}
	newConnections = noun{"%s new connection", "%s new connections"}
	requests       = noun{"%s request", "%s requests"}
	lostOnes       = noun{"%s lost request", "%s lost requests"}
	renewals       = noun{"%s renewal", "%s renewals"}
	failures       = noun{"%s failure", "%s failures"}
)

// things is a count with its noun, "1 connection", "2,880 connections".
func things(in translations.Language, v float64, n noun) string {
	if v == 1 {
		return in.Say(n.one, "1")
	}
	return in.Say(n.many, count(v))
}

// ratio writes a comparison as "0.43 [0.41, 0.45]", with a ~ if the samples don't differ
// significantly.
func ratio(in translations.Language, c statistics.Comparison) string {
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

// times writes a factor, "74 ×" or "0.9 ×".
func times(v float64) string { return numfmt.Factor(v) }

// seconds writes a window's length, "5 s".
func seconds(v float64) string { return numfmt.Seconds(v) }

// unique keeps the first of equal strings.
func unique(in []string) []string {
	out := []string{}
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// known returns an estimate's median, or 0 and false.
func known(e facts.Estimate) (float64, bool) {
	if e.Median == nil {
		return 0, false
	}
	return *e.Median, true
}

package core

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
)

// Count writes a number of things with commas: whole, or with one decimal if a median falls between
// two small numbers.
func Count(v float64) string {
	if v != math.Trunc(v) && math.Abs(v) < 10 {
		return text.Decimals(v, 1)
	}
	return text.Whole(v)
}

// Fixed writes a number with so many digits after the point, as a constant of a rule.
func Fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// What the verdicts count, as keys of the catalogue for Things.
const (
	Connections    = "verdict.connections"
	NewConnections = "verdict.new-connections"
	Requests       = "verdict.requests"
	LostOnes       = "verdict.lost-requests"
	Renewals       = "verdict.renewals"
	Failures       = "verdict.failures"
)

// Things is a count with its noun, "1 connection", "2,880 connections".
func Things[N ~int | ~int64 | ~float64](n N, noun string) facts.Text {
	return facts.T(noun, Count(float64(n)))
}

// List is a list of names.
func List[S ~string](items []S) facts.Text {
	all := make([]facts.Text, len(items))
	for i, s := range items {
		all[i] = facts.Verbatim(string(s))
	}
	return facts.Join("join.list", all...)
}

// Ratio writes a comparison as "0.43 [0.41, 0.45]", with a ~ if the samples don't differ
// significantly.
func Ratio(c statistics.Comparison) facts.Text {
	if c.Ratio == nil {
		return facts.T("verdict.unknown")
	}
	out := fmt.Sprintf("%.2f", *c.Ratio)
	if c.Lo != nil && c.Hi != nil {
		out += fmt.Sprintf(" [%.2f, %.2f]", *c.Lo, *c.Hi)
	}
	if !c.Significant {
		out += " ~"
	}
	return facts.Verbatim(out)
}

var statuses = map[facts.Status]facts.Text{facts.Reproduced: facts.T("verdict.reproduced"), facts.Fixed: facts.T("verdict.fixed"),
	facts.NotReproduced: facts.T("verdict.not-reproduced"), facts.Inconclusive: facts.T("verdict.inconclusive"),
	facts.Unsupported: facts.T("verdict.unsupported")}

// Status names a status in a sentence.
func Status(s facts.Status) facts.Text { return statuses[s] }

// Unmeasured is why a sweep left out a cell.
func Unmeasured(c *facts.Cell) facts.Text {
	if c.Unsupported.Key != "lab.not-measured" || len(c.Unsupported.Args) != 1 {
		return c.Unsupported
	}
	return facts.Text{Args: c.Unsupported.Args}
}

// Unique keeps the first of equal values.
func Unique[T any](in []T) []T {
	out := []T{}
	for _, v := range in {
		if !slices.ContainsFunc(out, func(o T) bool { return reflect.DeepEqual(o, v) }) {
			out = append(out, v)
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

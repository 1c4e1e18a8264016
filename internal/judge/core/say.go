package core

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
)

// Rules write all their texts with these functions, in the report's language.

func (f Run) Say(p translations.Phrase, args ...any) string { return f.In.Say(p, args...) }

func (f Run) Things(v float64, n Noun) string { return Things(f.In, v, n) }

func (f Run) Ratio(c statistics.Comparison) string { return Ratio(f.In, c) }

func (f Run) List(items []string) string { return f.In.List(items) }

// recorded translates sentences that were finished when the run was measured.
func (f Run) Recorded(sentences []string) []string { return f.In.Recorded(sentences) }

// sentence joins the clauses that aren't empty.
func (f Run) Sentence(clauses ...string) string {
	return strings.Join(slices.DeleteFunc(clauses, func(s string) bool { return s == "" }), f.Say("; "))
}

// statuses are the English names of the statuses.
var statuses = map[facts.Status]translations.Phrase{
	facts.Reproduced: "reproduced", facts.Fixed: "fixed", facts.NotReproduced: "not-reproduced",
	facts.Inconclusive: "inconclusive", facts.Unsupported: "unsupported",
}

func (f Run) Status(s facts.Status) string {
	if p, ok := statuses[s]; ok {
		return f.Say(p)
	}
	return string(s)
}

func (c Found) Say(p translations.Phrase, args ...any) string { return c.in.Say(p, args...) }

func (c Found) Things(v float64, n Noun) string { return Things(c.in, v, n) }

func (c Found) Ratio(x statistics.Comparison) string { return Ratio(c.in, x) }

func (c Found) List(items []string) string { return c.in.List(items) }

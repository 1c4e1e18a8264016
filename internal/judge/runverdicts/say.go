package runverdicts

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/translations"
)

// Rules write all their texts with these functions, in the report's language.

func (f runFacts) say(p translations.Phrase, args ...any) string { return f.in.Say(p, args...) }

func (f runFacts) things(v float64, n noun) string { return things(f.in, v, n) }

func (f runFacts) ratio(c statistics.Comparison) string { return ratio(f.in, c) }

func (f runFacts) list(items []string) string { return f.in.List(items) }

// recorded translates sentences that were finished when the run was measured.
func (f runFacts) recorded(sentences []string) []string { return f.in.Recorded(sentences) }

// sentence joins the clauses that aren't empty.
func (f runFacts) sentence(clauses ...string) string {
	return strings.Join(slices.DeleteFunc(clauses, func(s string) bool { return s == "" }), f.say("; "))
}

// statuses are the English names of the statuses.
var statuses = map[facts.Status]translations.Phrase{
	facts.Reproduced: "reproduced", facts.Fixed: "fixed", facts.NotReproduced: "not-reproduced",
	facts.Inconclusive: "inconclusive", facts.Unsupported: "unsupported",
}

func (f runFacts) status(s facts.Status) string {
	if p, ok := statuses[s]; ok {
		return f.say(p)
	}
	return string(s)
}

func (c found) say(p translations.Phrase, args ...any) string { return c.in.Say(p, args...) }

func (c found) things(v float64, n noun) string { return things(c.in, v, n) }

func (c found) ratio(x statistics.Comparison) string { return ratio(c.in, x) }

func (c found) list(items []string) string { return c.in.List(items) }

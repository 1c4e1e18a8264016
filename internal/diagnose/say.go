package diagnose

import (
	"slices"
	"strings"

	"h2lab/internal/lab"
	"h2lab/internal/stat"
	"h2lab/internal/tongue"
)

// What a rule says goes through these, in the language that it was asked in.

func (f facts) say(p tongue.Phrase, args ...any) string { return f.in.Say(p, args...) }

func (f facts) things(v float64, n noun) string { return things(f.in, v, n) }

func (f facts) ratio(c stat.Comparison) string { return ratio(f.in, c) }

func (f facts) list(items []string) string { return f.in.List(items) }

// recorded are sentences that were finished when the run was measured.
func (f facts) recorded(sentences []string) []string { return f.in.Recorded(sentences) }

// sentence joins the clauses that have something to say.
func (f facts) sentence(clauses ...string) string {
	return strings.Join(slices.DeleteFunc(clauses, func(s string) bool { return s == "" }), f.say("; "))
}

// statuses are their own words in English.
var statuses = map[lab.Status]tongue.Phrase{
	lab.Reproduced: "reproduced", lab.Fixed: "fixed", lab.NotReproduced: "not-reproduced",
	lab.Inconclusive: "inconclusive", lab.Unsupported: "unsupported",
}

func (f facts) status(s lab.Status) string {
	if p, ok := statuses[s]; ok {
		return f.say(p)
	}
	return string(s)
}

func (c found) say(p tongue.Phrase, args ...any) string { return c.in.Say(p, args...) }

func (c found) things(v float64, n noun) string { return things(c.in, v, n) }

func (c found) ratio(x stat.Comparison) string { return ratio(c.in, x) }

func (c found) list(items []string) string { return c.in.List(items) }

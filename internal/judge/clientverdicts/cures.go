package clientverdicts

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// setCures adds to every row the outcomes of the variants that are meant to cure it.
func setCures(rows []Row) {
	at := map[facts.Client]int{}
	for i, r := range rows {
		at[r.Client] = i
	}
	for _, cure := range rows {
		if cure.Program.Cures == "" || cure.Program.Cures == cure.Client {
			continue
		}
		if i, ok := at[cure.Program.Cures]; ok {
			rows[i].Cures = append(rows[i].Cures, outcome(&rows[i], &cure))
		}
	}
}

// outcome compares a cure with the client that it is meant to cure. A variant must be sound in this
// run to count as a cure; endsTheStampede is the one exception.
func outcome(ill, cure *Row) Cure {
	c := Cure{Client: cure.Client, Outcome: Untold}
	left := faultsOf(cure)
	var gone []Verdict
	for _, v := range faultsOf(ill) {
		if !slices.Contains(left, v) {
			gone = append(gone, v)
		}
	}
	switch {
	case !ill.Verdict.Faulty():
		c.Words = fmt.Sprintf("nothing to cure in this run: %s is %s", ill.Client, ill.Verdict.Words())
		if cure.Verdict.Faulty() {
			c.Words += fmt.Sprintf(", and this one %s", phrase(left))
		}
	case cure.Verdict == Sound:
		c.Outcome, c.Words = Cured, "cured: it is sound"
	case cure.Verdict == Unsupported:
		c.Words = "it could not run here, so its effect is unknown"
	case endsTheStampede(ill, cure):
		c.Outcome, c.Words = Cured, fmt.Sprintf("cured: %s opened in place of %s; "+
			"it reached the limit too seldom to say more",
			things(value(cure.At.Accepted), "connection"), count(value(ill.At.Accepted)))
	case cure.Verdict == Inconclusive:
		c.Words = "its effect is unknown: " + first(cure.Reasons)
	case len(gone) > 0 && !worse(cure, ill):
		c.Outcome, c.Words = Partly, fmt.Sprintf("partial cure: it no longer %s, but it still %s", phrase(gone),
			phrase(left))
	default:
		c.Outcome, c.Words = Failed, "did not cure: it "+still(ill, left)
	}
	return c
}

// endsTheStampede reports whether the cure spreads its requests over so many connections that none
// reached the limit. Such a cell says nothing about other faults, but it does show that the
// stampede is gone: that is a count of connections, and the server counted them.
func endsTheStampede(ill, cure *Row) bool {
	faults := faultsOf(ill)
	if cure.Verdict != Inconclusive || len(faults) != 1 || faults[0] != Stampedes || cure.At == nil ||
		cure.At.Accepted == nil {
		return false
	}
	return cure.At.Failed == 0 && *cure.At.Accepted <= cure.At.Due()
}

// faultsOf returns the verdicts of a row that are faults.
func faultsOf(r *Row) []Verdict {
	return slices.DeleteFunc(r.all(), func(v Verdict) bool { return !v.Faulty() })
}

// worse reports whether the cure has a fault that the uncured client doesn't have.
func worse(cure, ill *Row) bool {
	return slices.ContainsFunc(faultsOf(cure), func(v Verdict) bool { return !slices.Contains(faultsOf(ill), v) })
}

// still names the faults that are left and those that are new.
func still(ill *Row, left []Verdict) string {
	var old, fresh []Verdict
	for _, v := range left {
		if slices.Contains(faultsOf(ill), v) {
			old = append(old, v)
		} else {
			fresh = append(fresh, v)
		}
	}
	var out []string
	if len(old) > 0 {
		out = append(out, "still "+phrase(old))
	}
	if len(fresh) > 0 {
		out = append(out, phrase(fresh)+" instead")
	}
	if len(old) > 0 && len(fresh) > 0 {
		out[1] = "now " + phrase(fresh) + " as well"
	}
	return strings.Join(out, " and ")
}

// phrase joins verdicts into a phrase.
func phrase(vs []Verdict) string {
	words := make([]string, len(vs))
	for i, v := range vs {
		words[i] = v.Words()
	}
	if len(words) > 2 {
		return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
	}
	return strings.Join(words, " and ")
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

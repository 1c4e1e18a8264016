package clientverdicts

import (
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// setCures adds to every row the outcomes of the variants that are meant to cure it.
func setCures(in translations.Language, rows []Row) {
	at := map[facts.Client]int{}
	for i, r := range rows {
		at[r.Client] = i
	}
	for _, cure := range rows {
		if cure.Program.Cures == "" || cure.Program.Cures == cure.Client {
			continue
		}
		if i, ok := at[cure.Program.Cures]; ok {
			rows[i].Cures = append(rows[i].Cures, outcome(in, &rows[i], &cure))
		}
	}
}

// outcome compares a cure with the client that it is meant to cure. A variant must be sound in this
// run to count as a cure; endsTheStampede is the one exception.
func outcome(in translations.Language, ill, cure *Row) Cure {
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
		c.Words = in.Say("nothing to cure in this run: %s is %s", ill.Client, ill.Verdict.In(in))
		if cure.Verdict.Faulty() {
			c.Words += in.Say(", and this one %s", phrase(in, left))
		}
	case cure.Verdict == Sound:
		c.Outcome, c.Words = Cured, in.Say("cured: it is sound")
	case cure.Verdict == Unsupported:
		c.Words = in.Say("it could not run here, so its effect is unknown")
	case endsTheStampede(ill, cure):
		c.Outcome, c.Words = Cured, in.Say("cured: %s opened in place of %s; it reached the limit too seldom to say "+
			"more", core.Things(in, float64(value(cure.At.Accepted)), core.Connections), count(value(ill.At.Accepted)))
	case cure.Verdict == Inconclusive:
		c.Words = in.Say("its effect is unknown: %s", first(cure.Reasons))
	case len(gone) > 0 && !worse(cure, ill):
		c.Outcome, c.Words = Partly, in.Say("partial cure: it no longer %s, but it still %s", phrase(in, gone),
			phrase(in, left))
	default:
		c.Outcome, c.Words = Failed, in.Say("did not cure: it %s", still(in, ill, left))
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
func still(in translations.Language, ill *Row, left []Verdict) string {
	var old, fresh []Verdict
	for _, v := range left {
		if slices.Contains(faultsOf(ill), v) {
			old = append(old, v)
		} else {
			fresh = append(fresh, v)
		}
	}
	switch {
	case len(old) == 0 && len(fresh) == 0:
		return ""
	case len(fresh) == 0:
		return in.Say("still %s", phrase(in, old))
	case len(old) == 0:
		return in.Say("%s instead", phrase(in, fresh))
	}
	return in.Say("still %s and now %s as well", phrase(in, old), phrase(in, fresh))
}

// phrase joins verdicts into a phrase.
func phrase(in translations.Language, vs []Verdict) string {
	words := make([]string, len(vs))
	for i, v := range vs {
		words[i] = v.In(in)
	}
	if len(words) > 2 {
		return in.List(words[:len(words)-1]) + in.Say(" and ") + words[len(words)-1]
	}
	return strings.Join(words, in.Say(" and "))
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

package clientverdicts

import (
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
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
		c.Words = facts.T("clientverdict.nothing-cure-run", string(ill.Client), ill.Verdict.Words())
		if cure.Verdict.Faulty() {
			c.Words.Add(facts.T("clientverdict.one", phrase(left)))
		}
	case cure.Verdict == Sound:
		c.Outcome, c.Words = Cured, facts.T("clientverdict.cured-sound")
	case cure.Verdict == Unsupported:
		c.Words = facts.T("clientverdict.could-not-run-here")
	case endsTheStampede(ill, cure):
		c.Outcome, c.Words = Cured, facts.T("clientverdict.cured-opened-place-reached",
			core.Things(value(cure.At.Accepted), core.Connections), count(value(ill.At.Accepted)))
	case cure.Verdict == Inconclusive:
		c.Words = facts.T("clientverdict.effect-unknown", first(cure.Reasons))
	case len(gone) > 0 && !worse(cure, ill):
		c.Outcome, c.Words = Partly, facts.T("clientverdict.partial-cure-no-longer", phrase(gone), phrase(left))
	default:
		c.Outcome, c.Words = Failed, facts.T("clientverdict.did-not-cure", still(ill, left))
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
func still(ill *Row, left []Verdict) facts.Text {
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
		return facts.Text{}
	case len(fresh) == 0:
		return facts.T("clientverdict.still", phrase(old))
	case len(old) == 0:
		return facts.T("clientverdict.instead", phrase(fresh))
	}
	return facts.T("clientverdict.still-now-as-well", phrase(old), phrase(fresh))
}

// phrase joins verdicts into a phrase.
func phrase(vs []Verdict) facts.Text {
	words := make([]facts.Text, len(vs))
	for i, v := range vs {
		words[i] = v.Words()
	}
	last := max(len(words)-1, 0)
	return facts.Join("join.and", facts.Join("join.list", words[:last]...), facts.Join("", words[last:]...))
}

func first(s []facts.Text) facts.Text {
	if len(s) == 0 {
		return facts.Text{}
	}
	return s[0]
}

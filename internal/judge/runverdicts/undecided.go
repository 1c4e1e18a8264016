package runverdicts

import "h2lab/internal/facts"

// undecided is a finding whose difference may be chance.
func (f runFacts) undecided(a finding) finding {
	a.Status = facts.Inconclusive
	a.Actual.Add(facts.T("verdict.difference-not-significant"))
	a.Next = facts.T("verdict.raise-trials-or-duration-idle")
	return a
}

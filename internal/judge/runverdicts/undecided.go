package runverdicts

import "h2lab/internal/facts"

// undecided is a finding whose difference may be chance.
func (f runFacts) undecided(a finding) finding {
	a.Status = facts.Inconclusive
	a.Actual += f.Say("; the difference is not significant")
	a.Next = f.Say("Raise TRIALS or DURATION, on an idle machine.")
	return a
}

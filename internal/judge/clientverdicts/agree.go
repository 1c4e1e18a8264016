package clientverdicts

import "h2lab/internal/facts"

// Difference is a client whose verdict differs between two runs.
type Difference struct {
	Client       facts.Client
	Here, There  Verdict
	Near         []string // numbers near a threshold in either run
	OnlyInOneRun bool
}

// Differences compares two runs' rows, in the order of the first. It compares only the worst
// verdicts, since those are what the page shows first.
func Differences(here, there []Row) []Difference {
	out := []Difference{}
	other := map[facts.Client]Row{}
	for _, r := range there {
		other[r.Client] = r
	}
	for _, r := range here {
		o, ok := other[r.Client]
		delete(other, r.Client)
		if !ok {
			out = append(out, Difference{Client: r.Client, Here: r.Verdict, OnlyInOneRun: true})
		} else if o.Verdict != r.Verdict {
			out = append(out, Difference{Client: r.Client, Here: r.Verdict, There: o.Verdict,
				Near: append(append([]string{}, r.Near...), o.Near...)})
		}
	}
	for _, r := range there {
		if _, left := other[r.Client]; left {
			out = append(out, Difference{Client: r.Client, There: r.Verdict, OnlyInOneRun: true})
		}
	}
	return out
}

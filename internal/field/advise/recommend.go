package advise

import "slices"

// From where on a limit is good enough. Both are choices: below the first the
// 99.9th percentile doesn't feel renewals either, below the second nobody finds
// them in a bill.
const (
	fewWait = 0.001
	fewCPU  = 0.05
)

// round are the limits that are set beside each other.
var round = []int{1000, 10_000, 100_000}

// ladder are the limits that are recommended. The last is a limit in name only.
var ladder = []int{1000, 10_000, 100_000, 1_000_000}

// Compare predicts for the limit asked about and the round ones, smallest first.
func Compare(q Question) []Answer {
	limits := append([]int{q.Limit}, round...)
	slices.Sort(limits)
	var out []Answer
	for _, limit := range slices.Compact(limits) {
		out = append(out, at(q, limit))
	}
	return out
}

func at(q Question, limit int) Answer {
	q.Limit = limit
	return Predict(q)
}

// Recommend is the smallest limit of the ladder whose renewals nobody feels, or
// from which on the age of an hour rules anyway; never less than the present
// one, since a lower one has more renewals.
func Recommend(q Question) int {
	for _, limit := range ladder {
		if limit < q.Limit {
			continue
		}
		if a := at(q, limit); a.AgeRules || unfelt(a) {
			return limit
		}
	}
	return max(q.Limit, ladder[len(ladder)-1])
}

func unfelt(a Answer) bool { return a.WaitingShare <= fewWait && a.CPUShare <= fewCPU }

// Enough reports that the present limit's renewals are already not felt.
func Enough(q Question) bool {
	a := Predict(q)
	return a.AgeRules || unfelt(a)
}

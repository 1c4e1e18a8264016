package advise

import "slices"

// The thresholds for a limit that is good enough. Both are choices of this project: below the
// first, renewals don't change the 99.9th percentile either; below the second, their processor time
// is negligible.
const (
	fewWait = 0.001
	fewCPU  = 0.05
)

// round are the limits that Compare shows.
var round = []int{1000, 10_000, 100_000}

// ladder are the limits that Recommend chooses from. The last is practically no limit.
var ladder = []int{1000, 10_000, 100_000, 1_000_000}

// Compare predicts for the present limit and the round ones, smallest first.
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

// Recommend is the smallest limit of the ladder whose renewals are negligible, or above which
// keepalive_time ends connections first. It is never below the present limit, since a lower one has
// more renewals.
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

// Enough reports whether the renewals at the present limit are already negligible.
func Enough(q Question) bool {
	a := Predict(q)
	return a.AgeRules || unfelt(a)
}

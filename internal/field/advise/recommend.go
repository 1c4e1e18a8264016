package advise

import (
	"slices"

	"h2lab/internal/field/cure"
)

// The thresholds for a limit that is good enough. Both are choices of this project: below the
// first, renewals don't change the 99.9th percentile either; below the second, their processor time
// is negligible.
const (
	fewWait = 0.001
	fewCPU  = 0.05
)

// round are the limits that Compare shows.
var round = []int{1000, 10_000, 100_000}

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

// Recommend is the present limit if its renewals are negligible or keepalive_time ends connections first,
// and otherwise the one that every verb offers.
func Recommend(q Question) int {
	if Enough(q) {
		return q.Limit
	}
	return min(cure.Requests(q.Limit), MaxStreamIDs)
}

func negligible(a Answer) bool { return a.WaitingShare <= fewWait && a.CPUShare <= fewCPU }

// Enough reports whether the renewals at the present limit are already negligible.
func Enough(q Question) bool {
	a := Predict(q)
	return a.AgeRules || negligible(a)
}

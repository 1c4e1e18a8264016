package clientverdicts

import "fmt"

// fewestLies: the counters are read while the client stands still, so that one
// success more than the backend executed is one too many.
const fewestLies = 1

// lies: a success is an answer, and an answer comes from an execution.
func lies(f cellFacts) finding {
	if f.Executed == nil || f.Succeeded-*f.Executed < fewestLies {
		return finding{}
	}
	return finding{holds: true, reason: fmt.Sprintf("it reports %s and the backend executed %s: %s of its successes never happened",
		successes(f.Succeeded), things(*f.Executed, "request"), count(f.Succeeded-*f.Executed))}
}

func successes(n int64) string {
	if n == 1 {
		return "1 success"
	}
	return count(n) + " successes"
}

package clientverdicts

import "fmt"

// fewestLies is 1: the counters are read while the client sends nothing, so even one success more
// than the backend executed is false.
const fewestLies = 1

// lies holds if the client reports more successes than the backend executed.
func lies(f cellFacts) finding {
	if f.Executed == nil || f.Succeeded-*f.Executed < fewestLies {
		return finding{}
	}
	return finding{holds: true, reason: fmt.Sprintf("it reports %s, but the backend executed %s: "+
		"%s too many",
		successes(f.Succeeded), things(*f.Executed, "request"), count(f.Succeeded-*f.Executed))}
}

func successes(n int64) string {
	if n == 1 {
		return "1 success"
	}
	return count(n) + " successes"
}

package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// fewestLies is 1: the counters are read while the client sends nothing, so even one success more
// than the backend executed is false.
const fewestLies = 1

// lies holds if the client reports more successes than the backend executed.
func lies(f cellFacts) finding {
	if f.Executed == nil || f.Succeeded-*f.Executed < fewestLies {
		return finding{}
	}
	return finding{holds: true, reason: facts.T("clientverdict.reports-but-backend-executed", core.Things(f.Succeeded,
		successful), core.Things(*f.Executed, core.Requests), count(f.Succeeded-*f.Executed))}
}

package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// fewestDuplicates is 1: every call has a unique id, and the backend counts repeated ids. A
// repeated id means that the client sent the request again; the count has no noise.
const fewestDuplicates = 1

func duplicates(f cellFacts) finding {
	n := value(f.Duplicates)
	if n <= 0 {
		return finding{}
	}
	extra := f.beyond(n, func(b *Figures) int64 { return max(0, value(b.Duplicates)) })
	if extra < fewestDuplicates {
		return finding{own: true, note: facts.T("clientverdict.ran-twice-as-many", core.Things(n, core.Requests), f.high)}
	}
	a := finding{holds: true, reason: facts.T("clientverdict.backend-executed-second-time", core.Things(n, core.Requests),
		f.rate(n, f.Attempts))}
	if extra < FewestSure {
		a.near = facts.T("clientverdict.only-another-run-may", core.Things(n, doubles))
	}
	return a
}

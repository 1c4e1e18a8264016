package clientverdicts

import "h2lab/internal/judge/core"

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
		return finding{own: true, note: f.say("%s ran twice; as many do at %s, so the limit is not the cause",
			f.things(n, core.Requests), f.high)}
	}
	a := finding{holds: true, reason: f.say("the backend executed %s a second time (%s in 1,000)",
		f.things(n, core.Requests), f.rate(n, f.Attempts))}
	if extra < FewestSure {
		a.near = f.say("only %s: another run may have none", f.things(n, doubles))
	}
	return a
}

package clientverdicts

import "fmt"

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
		return finding{own: true, note: fmt.Sprintf("%s ran twice; as many do at %s, so the limit is not the cause",
			things(n, "request"), f.high)}
	}
	a := finding{holds: true, reason: fmt.Sprintf("the backend executed %s a second time "+
		"(%s in 1,000)", things(n, "request"), rate(n, f.Attempts))}
	if extra < FewestSure {
		a.near = fmt.Sprintf("only %s: another run may have none", things(n, "duplicate"))
	}
	return a
}

package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// starved says why a cell proves nothing, or returns "": the client's machine ran out of files,
// ports, threads or memory in this cell or in the cell at the high limit.
func (f cellFacts) starved() string {
	for _, x := range []*Figures{&f.Figures, f.base} {
		if x == nil {
			continue
		}
		if n := facts.Starved(x.Errors); n > 0 {
			return f.say("%s failed because the client's own machine had no file, port, thread or memory for "+
				"them: raise its limits (ulimit -n) or lower CONCURRENCY, and run again", f.things(n, core.Requests))
		}
		if n, message := faults(x.Faults, []string{facts.FaultStarved}); n > 0 {
			return f.say("its machine had no file, port, thread or memory for the program: %s", message)
		}
	}
	return ""
}

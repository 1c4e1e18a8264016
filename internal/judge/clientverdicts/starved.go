package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// starved says why a cell proves nothing, or returns "": the client's machine ran out of files,
// ports, threads or memory in this cell or in the cell at the high limit.
func (f cellFacts) starved() facts.Text {
	for _, x := range []*Figures{&f.Figures, f.base} {
		if x == nil {
			continue
		}
		if n := facts.Starved(x.Errors); n > 0 {
			return facts.T("clientverdict.failed-because-clients-own", core.Things(n, core.Requests))
		}
		if n, message := faults(x.Faults, []string{facts.FaultStarved}); n > 0 {
			return facts.T("clientverdict.machine-no-file-port", message)
		}
	}
	return facts.Text{}
}

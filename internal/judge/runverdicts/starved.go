package runverdicts

import (
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// unstarved is a rule's answer, except that nothing follows from a cell whose
// client ran out of files, ports, threads or memory: its failures and its few
// requests are its own machine's.
func (f runFacts) unstarved(r Rule, a finding) finding {
	if r.Group == Trust || a.status == facts.Inconclusive || a.status == facts.Unsupported {
		return a
	}
	for _, c := range f.restsOn(a) {
		var n int64
		for _, t := range c.Trials {
			n += facts.Starved(t.Errors)
		}
		if n == 0 {
			continue
		}
		a.status = facts.Inconclusive
		a.actual += f.say("; but in cell %s %d requests failed because the client's own machine "+
			"had no file, port, thread or memory for them", c.ID(), n)
		a.next = f.say("Raise the limits of this machine (ulimit -n) or lower CONCURRENCY, and run again.")
		return a
	}
	return a
}

// restsOn are the cells that an answer's evidence points at; without evidence all.
func (f runFacts) restsOn(a finding) []facts.Cell {
	all := f.run.Cells
	if len(a.evidence) == 0 {
		return all
	}
	var out []facts.Cell
	for _, e := range a.evidence {
		_, rest, ok := strings.Cut(e.Pointer, "/cells/")
		at, _, _ := strings.Cut(rest, "/")
		if i, err := strconv.Atoi(at); ok && err == nil && i >= 0 && i < len(all) {
			out = append(out, all[i])
		}
	}
	return out
}

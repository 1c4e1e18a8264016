package runverdicts

import (
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// unstarved replaces a rule's answer if it rests on a cell whose client ran out of files, ports,
// threads or memory: the client's machine caused its failures and low goodput, so they prove
// nothing.
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
		a.actual += f.say("; but in cell %s %d requests failed because the client's machine had no file, port, "+
			"thread or memory for them", c.ID(), n)
		a.next = f.say("Raise the limits of this machine (ulimit -n) or lower CONCURRENCY, and run again.")
		return a
	}
	return a
}

// restsOn returns the cells that an answer's evidence points at, or all cells if it has no
// evidence.
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

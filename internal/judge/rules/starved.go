package rules

import (
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// unstarved replaces a rule's answer if it rests on a cell whose client ran out of files, ports,
// threads or memory: the client's machine caused its failures and low goodput, so they prove
// nothing.
func (f Run) unstarved(a Finding) Finding {
	if a.Status == facts.Inconclusive || a.Status == facts.Unsupported {
		return a
	}
	for _, c := range f.restsOn(a) {
		var n int64
		for _, t := range c.Trials {
			n += facts.Starved(t.Errors)
			if t.Service != nil {
				n += facts.Starved(t.Service.Errors)
			}
		}
		if n == 0 {
			continue
		}
		a.Status = facts.Inconclusive
		a.Actual += f.Say("; but in cell %s %d requests failed because the client's machine had no file, port, "+
			"thread or memory for them", c.ID(), n)
		a.Next = f.Say("Raise the limits of this machine (ulimit -n) or lower CONCURRENCY, and run again.")
		return a
	}
	return a
}

// restsOn returns the cells that an answer's evidence points at, or all cells if it has no
// evidence.
func (f Run) restsOn(a Finding) []facts.Cell {
	all := f.Result.Cells
	if len(a.Evidence) == 0 {
		return all
	}
	var out []facts.Cell
	for _, e := range a.Evidence {
		_, rest, ok := strings.Cut(e.Pointer, "/cells/")
		at, _, _ := strings.Cut(rest, "/")
		if i, err := strconv.Atoi(at); ok && err == nil && i >= 0 && i < len(all) {
			out = append(out, all[i])
		}
	}
	return out
}

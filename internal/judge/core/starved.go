package core

import (
	"slices"
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
	for _, i := range f.restsOn(a) {
		c := &f.Result.Cells[i]
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

// restsOn returns the positions of the cells that an answer's evidence points at, or of all cells if it
// has no evidence.
func (f Run) restsOn(a Finding) (out []int) {
	for _, e := range a.Evidence {
		_, rest, ok := strings.Cut(e.Pointer, "/cells/")
		at, _, _ := strings.Cut(rest, "/")
		if i, err := strconv.Atoi(at); ok && err == nil && i >= 0 && i < len(f.Result.Cells) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	if len(a.Evidence) == 0 {
		for i := range f.Result.Cells {
			out = append(out, i)
		}
	}
	return out
}

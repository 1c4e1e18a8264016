package sweepverdicts

import (
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Line is one caller over one protocol. Bare is the load without a service.
type Line struct {
	Client   facts.Client
	Protocol facts.Protocol
	Bare     bool
}

// Table has the cells of one sweep.
type Table struct {
	*Sweep
	run   *facts.Result
	cells []*facts.Cell
}

// Tables returns the sweeps of a run that have cells, in the order of Sweeps.
func Tables(r *facts.Result) (out []Table) {
	for _, s := range Sweeps {
		t := Table{Sweep: s, run: r}
		for i := range r.Cells {
			if of(r.Cells[i].Point) == s {
				t.cells = append(t.cells, &r.Cells[i])
			}
		}
		if t.cells != nil {
			out = append(out, t)
		}
	}
	return out
}

// Low is the name of the topology with the low limit.
func (t Table) Low() string { return low(t.run) }

// Lines lists the callers of a topology in the order of the run; the load without a service comes
// last.
func (t Table) Lines(topology string) (out []Line) {
	for _, c := range t.cells {
		l := lineOf(c)
		if c.Topology == topology && !l.Bare && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	for _, c := range t.cells {
		if l := lineOf(c); l.Bare && c.Topology == topology && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

func lineOf(c *facts.Cell) Line {
	return Line{Client: c.Client, Protocol: c.Protocol, Bare: c.Users == ""}
}

// Name is a caller's name, with its protocol where it has several at a topology.
func (t Table) Name(topology string, l Line) string {
	if slices.ContainsFunc(t.Lines(topology), func(o Line) bool {
		return o.Client == l.Client && o.Protocol != l.Protocol && o.Bare == l.Bare
	}) {
		return string(l.Client) + " (" + string(l.Protocol) + ")"
	}
	return string(l.Client)
}

// Places lists the places that a topology was planned for, by group and along the curve.
func (t Table) Places(topology string) (out []Place) {
	for _, c := range t.cells {
		if p := placeOf(c); c.Topology == topology && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	t.sort(out)
	return out
}

// Groups lists the groups of some places, in rising order.
func (t Table) Groups(places []Place) (out []int) {
	for _, p := range places {
		if g := t.Group(p); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return out
}

// Cell finds a cell, or returns nil. A caller that speaks h2 through a proxy may have its direct
// cells, which call nothing, under another protocol.
func (t Table) Cell(topology string, l Line, p Place) *facts.Cell {
	var other *facts.Cell
	for _, c := range t.cells {
		if c.Topology != topology || c.Client != l.Client || lineOf(c).Bare != l.Bare || placeOf(c) != p {
			continue
		}
		if c.Protocol == l.Protocol {
			return c
		}
		other = c
	}
	if topology == Direct {
		return other
	}
	return nil
}

// Measured is Cell if it has trials.
func (t Table) Measured(topology string, l Line, p Place) *facts.Cell {
	if c := t.Cell(topology, l, p); c != nil && len(c.Trials) > 0 {
		return c
	}
	return nil
}

// Strained reports whether all cores were busy in most trials of a cell: the machine was then the
// limit, and not the caller.
func (t Table) Strained(c *facts.Cell) bool { return strained(c, t.run.Environment.Cores) }

func strained(c *facts.Cell, cores int) bool {
	if c == nil {
		return false
	}
	n := 0
	for _, trial := range c.Trials {
		if trial.AllCoresBusy(cores) {
			n++
		}
	}
	return 2*n > len(c.Trials)
}

// Absent lists the places of the whole table that a topology was not planned for.
func (t Table) Absent(topology string) (out []Place) {
	planned := t.Places(topology)
	for _, p := range t.Whole() {
		if !slices.Contains(planned, p) {
			out = append(out, p)
		}
	}
	return out
}

// Cells returns the sweep's cells in the order of the run.
func (t Table) Cells() []*facts.Cell { return t.cells }

// Index is a cell's index in the run.
func (t Table) Index(c *facts.Cell) int { return core.Index(t.run, c) }

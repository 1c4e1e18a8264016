package sweepverdicts

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Command is run.command of a sweep.
const Command = "sweep"

// High is the topology whose limit no window reaches; Direct has none.
const (
	High   = "nginx-100000"
	Direct = "direct"
)

//go:embed sweeps.toml
var data []byte

// table is sweeps.toml, which is embedded and tested.
var table = func() (read struct {
	Measure []Measure
	Sweep   []*Sweep
	Figure  []Figure
}) {
	if err := toml.Unmarshal(data, &read); err != nil {
		panic(fmt.Sprintf("sweeps.toml: %v", err))
	}
	measures := map[string]Measure{}
	for _, m := range read.Measure {
		m.of = values[m.ID]
		measures[m.ID] = m
	}
	for _, s := range read.Sweep {
		s.Slow = measures[s.SlowID]
		for _, id := range s.Columns {
			s.Measures = append(s.Measures, measures[id])
		}
	}
	return read
}()

// Sweep is one of the tables that a sweep measures, as sweeps.toml describes it.
type Sweep struct {
	ID            string
	Title, Source facts.Text
	// Point has the numbers of a cell's place as the cell's name shows them.
	Point *regexp.Regexp
	// ByDelay is true where the delay is varied along a curve, false where the users are.
	ByDelay bool `toml:"by-delay"`
	// Grouped is true where the other number is varied too.
	Grouped bool
	// Parts are the places of the whole table, as products; a quick or filtered run has a part of it.
	Parts []struct{ Users, Delays []int } `toml:"places"`
	// Measures are the table's columns, the first one also that of its charts behind the limit.
	Columns  []string  `toml:"measures"`
	Measures []Measure `toml:"-"`
	// Slow is the measure that shows what a renewal costs a caller, SlowName its name in a sentence.
	SlowID   string     `toml:"slow"`
	Slow     Measure    `toml:"-"`
	SlowName facts.Text `toml:"slow-name"`
	// These texts name a place within a sentence, at its beginning and in a table, and compare two callers of it.
	Within, Begins, Extreme string
	InTable                 string `toml:"named"`
}

// The sweeps, in the order of the page.
var (
	Sweeps     = table.Sweep
	Callers    = sweepOf("callers")
	Burst      = sweepOf("burst")
	LowLatency = sweepOf("low-latency")
	Async      = sweepOf("async")
)

func sweepOf(id string) *Sweep {
	return table.Sweep[slices.IndexFunc(table.Sweep, func(s *Sweep) bool { return s.ID == id })]
}

// Place is where a cell stands in its sweep.
type Place struct{ Users, DelayMS int }

// Along is the number that is varied along a curve, and Group the other one.
func (s *Sweep) Along(p Place) int {
	if s.ByDelay {
		return p.DelayMS
	}
	return p.Users
}

// Group is the number that differs between a sweep's panels.
func (s *Sweep) Group(p Place) int {
	if s.ByDelay {
		return p.Users
	}
	return p.DelayMS
}

// Whole lists the places of the whole table, by group.
func (s *Sweep) Whole() (out []Place) {
	for _, part := range s.Parts {
		for _, u := range part.Users {
			for _, d := range part.Delays {
				out = append(out, Place{u, d})
			}
		}
	}
	s.sort(out)
	return out
}

// sort orders places by group, then along the curve.
func (s *Sweep) sort(places []Place) {
	slices.SortFunc(places, func(a, b Place) int {
		if d := s.Group(a) - s.Group(b); d != 0 {
			return d
		}
		return s.Along(a) - s.Along(b)
	})
}

// of finds the sweep of a point.
func of(point string) *Sweep {
	for _, s := range Sweeps {
		if s.Point.MatchString(point) {
			return s
		}
	}
	return nil
}

// placeOf is a cell's place. A burst's users are its requests.
func placeOf(c *facts.Cell) Place {
	p := Place{Users: c.Workload.Concurrency, DelayMS: c.Workload.DelayMS}
	if of(c.Point) == Burst && c.Workload.Requests > 0 {
		p.Users = c.Workload.Requests
	}
	return p
}

// low is the topology with the run's low limit.
func low(r *facts.Result) string { return "nginx-" + strconv.Itoa(r.Run.Limit) }

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
func (t Table) Strained(c *facts.Cell) bool { return core.Strained(c, t.run.Environment.Cores) }

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

package limitmap

import (
	"cmp"
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Sweep is run.sweep of a run that this package judges.
const Sweep = "matters"

// Of reports whether a run is one of this sweep.
func Of(r *facts.Result) bool { return r.Run.Command == "sweep" && r.Run.Sweep == Sweep }

// Line is a load: everything of a cell but the limit, the backend's delay and the distance. An open loop's
// rate depends on these two, so it is a part of Place.
type Line struct {
	Client          facts.Client
	Protocol        facts.Protocol
	InFlight, Pools int
	TLS, Key        string
	Resume          bool
	Arrivals        facts.Arrivals
}

// Spot is where a load is on the map.
type Spot struct {
	BackendMS int
	facts.Distance
}

// Place is everything of a cell but the limit.
type Place struct {
	Line
	Spot
	RatePerS float64
}

func placeOf(r *facts.Result, c *facts.Cell) Place {
	w := c.Workload
	return Place{Line: Line{Client: c.Client, Protocol: c.Protocol, InFlight: w.Concurrency, Pools: max(w.Pools, 1),
		TLS: w.MaxTLS, Key: cmp.Or(w.Key, r.Run.Key), Resume: w.Resume, Arrivals: w.Arrivals},
		Spot: Spot{BackendMS: w.DelayMS, Distance: w.Distance}, RatePerS: w.RatePerS}
}

// compare orders spots by the backend's delay, then by the distance.
func (s Spot) compare(o Spot) int {
	return cmp.Or(cmp.Compare(s.BackendMS, o.BackendMS), cmp.Compare(s.RTTMS, o.RTTMS),
		cmp.Compare(s.JitterMS, o.JitterMS), cmp.Compare(s.LossPercent, o.LossPercent), cmp.Compare(s.MbitPerS, o.MbitPerS))
}

// Map has the cells of a run by place and limit.
type Map struct {
	Result *facts.Result
	// Places and Lines are in the order of the run.
	Places []Place
	Lines  []Line
	// High is the limit that the others are compared with; 0 if the run has no limit.
	High  int
	cells map[Place]map[int]*facts.Cell
	noise map[Spot]noise
	whole noise
}

// New sorts the cells of a run into a map.
func New(r *facts.Result) Map {
	m := Map{Result: r, cells: map[Place]map[int]*facts.Cell{}}
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Limit.Configured == nil {
			continue
		}
		p := placeOf(r, c)
		if m.cells[p] == nil {
			m.cells[p] = map[int]*facts.Cell{}
			m.Places = append(m.Places, p)
			if !slices.Contains(m.Lines, p.Line) {
				m.Lines = append(m.Lines, p.Line)
			}
		}
		m.cells[p][*c.Limit.Configured] = c
		m.High = max(m.High, *c.Limit.Configured)
	}
	m.measureNoise()
	return m
}

// Cell is the cell of a place behind a limit, or nil.
func (m Map) Cell(p Place, limit int) *facts.Cell { return m.cells[p][limit] }

// Limits are the limits that are compared with High, in rising order.
func (m Map) Limits() (out []int) {
	for _, of := range m.cells {
		for limit := range of {
			if limit != m.High && !slices.Contains(out, limit) {
				out = append(out, limit)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Of are the places of a line, by backend and distance.
func (m Map) Of(l Line) (out []Place) {
	for _, p := range m.Places {
		if p.Line == l {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int { return a.compare(b.Spot) })
	return out
}

// Base is the line with the most places, the first of several; false without any.
func (m Map) Base() (base Line, ok bool) {
	most := 0
	for _, l := range m.Lines {
		if n := len(m.Of(l)); n > most {
			base, most = l, n
		}
	}
	return base, most > 0
}

// Backends and Distances are the rows and the columns of a map of places.
func Backends(places []Place) []int {
	return sorted(places, func(p Place) int { return p.BackendMS }, cmp.Compare)
}

// Distances are in rising order of the round trip.
func Distances(places []Place) []facts.Distance {
	return sorted(places, func(p Place) facts.Distance { return p.Distance }, func(a, b facts.Distance) int {
		return Spot{Distance: a}.compare(Spot{Distance: b})
	})
}

func sorted[V comparable](places []Place, of func(Place) V, compare func(a, b V) int) (out []V) {
	for _, p := range places {
		if v := of(p); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, compare)
	return out
}

// Repeated reports whether any cell of the run has two valid trials, so that its numbers have intervals.
func (m Map) Repeated() bool { return m.whole.goodput.freedom > 0 }

// GoodputOf and P99Of are a cell's numbers over its valid trials, as they are compared.
func GoodputOf(c *facts.Cell) *float64 { return numberOf(c, goodput) }
func P99Of(c *facts.Cell) *float64     { return numberOf(c, p99) }

// Doubts counts the measured cells, those in which all cores were busy in most trials, and those that other
// programs disturbed.
func (m Map) Doubts() (strained, disturbed, measured int) {
	for i := range m.Result.Cells {
		c := &m.Result.Cells[i]
		if len(c.Trials) == 0 {
			continue
		}
		measured++
		if core.Strained(c, m.Result.Environment.Cores) {
			strained++
		}
		if slices.ContainsFunc(c.Trials, facts.Trial.Disturbed) {
			disturbed++
		}
	}
	return strained, disturbed, measured
}

// Varied are the numbers of requests in flight that were measured with an otherwise equal load, and the places
// at which there are several.
func (m Map) Varied(base Line) (numbers []int, spots []Spot) {
	at := map[Spot][]int{}
	for _, p := range m.Places {
		l := p.Line
		l.InFlight = base.InFlight
		if l == base && p.RatePerS == 0 {
			at[p.Spot] = append(at[p.Spot], p.InFlight)
		}
	}
	for s, all := range at {
		if len(all) < 2 {
			continue
		}
		spots = append(spots, s)
		for _, n := range all {
			if !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	slices.SortFunc(spots, Spot.compare)
	return numbers, spots
}

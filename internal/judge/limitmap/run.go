package limitmap

import (
	"slices"

	"h2lab/internal/facts"
)

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
		busy := 0
		for _, t := range c.Trials {
			if t.AllCoresBusy(m.Result.Environment.Cores) {
				busy++
			}
		}
		if 2*busy > len(c.Trials) {
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

package limitmap

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Source is where a cost comes from.
type Source string

// The sources.
const (
	Measured     Source = "measured"
	Extrapolated Source = "extrapolated"
	Absent       Source = "absent"
)

// Fewest is the smallest number of renewals, over all trials, from which a cell shows what a limit costs.
const Fewest = 2

// Cost is what a limit costs at a place.
type Cost struct {
	Place
	Limit  int
	Source Source
	// From is the limit that an extrapolated cost was measured at.
	From int
	// Why says why there is no cost, as recorded; empty where there are too few renewals.
	Why string
	// Low and High are the compared cells; nil where they were not planned.
	Low, High *facts.Cell
	// Goodput and P99 are ratios to those behind the highest limit. AddedMS is the difference of the
	// 99th percentiles.
	Goodput, P99 *Ratio
	AddedMS      *float64
	// Renewals, Accepted, Used and Expected are sums over the trials.
	Renewals, Accepted, Used, Expected *float64
	// PerS is renewals per second, FailedPer1000 failures per 1,000 requests.
	PerS, FailedPer1000 *float64
}

// Lost is the share of goodput that is lost; negative where there is more.
func (c Cost) Lost() *float64 {
	if c.Goodput == nil {
		return nil
	}
	return new(1 - c.Goodput.Value)
}

// Dials is how many connections the front accepted for one renewal.
func (c Cost) Dials() *float64 { return quotient(c.Accepted, c.Renewals) }

// PerUsed and PerExpected are how many connections the front accepted for one that carried a
// request, and for one that the requests needed.
func (c Cost) PerUsed() *float64     { return quotient(c.Accepted, c.Used) }
func (c Cost) PerExpected() *float64 { return quotient(c.Accepted, c.Expected) }

func quotient(a, b *float64) *float64 {
	if a == nil || b == nil || !(*b > 0) {
		return nil
	}
	return new(*a / *b)
}

// Cost compares a place behind a limit with itself behind the highest one.
func (m Map) Cost(p Place, limit int) Cost {
	c := Cost{Place: p, Limit: limit, Source: Absent, Low: m.Cell(p, limit), High: m.Cell(p, m.High)}
	if c.Low != nil && c.Low.Unsupported != "" {
		c.Why = c.Low.Unsupported
	}
	if m.shows(c.Low) && measurable(c.High) {
		return m.measured(c)
	}
	for _, from := range m.below(limit) {
		if low := m.Cell(p, from); m.shows(low) && measurable(c.High) {
			return m.extrapolated(c, from)
		}
	}
	return c
}

// below are the lower limits, the nearest first.
func (m Map) below(limit int) (out []int) {
	for _, l := range m.Limits() {
		if l < limit {
			out = append([]int{l}, out...)
		}
	}
	return out
}

func measurable(c *facts.Cell) bool { return len(logs(c, goodput)) > 0 }

// shows reports whether a cell was measured through enough renewals.
func (m Map) shows(c *facts.Cell) bool {
	n := renewals(c)
	return measurable(c) && n != nil && *n >= Fewest
}

func (m Map) measured(c Cost) Cost {
	own := m.noise[c.Spot]
	c.Source = Measured
	c.Goodput = ratio(c.Low, c.High, goodput, own.goodput, m.whole.goodput)
	c.P99 = ratio(c.Low, c.High, p99, own.p99, m.whole.p99)
	c.AddedMS = added(c.Low, c.High)
	c.count()
	return c
}

// count adds up what the trials behind the limit counted.
func (c *Cost) count() {
	c.Renewals = renewals(c.Low)
	c.Accepted = sum(c.Low, func(t facts.Trial) *int64 { return t.Connections.Accepted })
	c.Used = sum(c.Low, func(t facts.Trial) *int64 { return t.Connections.Used })
	c.Expected = sum(c.Low, func(t facts.Trial) *int64 { return t.Connections.Expected })
	seconds := 0.0
	for _, t := range c.Low.Trials {
		if valid(t) {
			seconds += t.ElapsedS
		}
	}
	c.PerS = quotient(c.Renewals, &seconds)
	failed := sum(c.Low, func(t facts.Trial) *int64 { return &t.Failed })
	attempts := sum(c.Low, func(t facts.Trial) *int64 { return &t.Attempts })
	if share := quotient(failed, attempts); share != nil {
		*share *= 1000
		c.FailedPer1000 = share
	}
}

// renewals are the connections of a cell that were used up or replaced, over all trials.
func renewals(c *facts.Cell) *float64 {
	return sum(c, func(t facts.Trial) *int64 { return t.Connections.Renewals() })
}

// sum adds a count over a cell's valid trials; nil where one of them doesn't know it.
func sum(c *facts.Cell, of func(facts.Trial) *int64) *float64 {
	if c == nil {
		return nil
	}
	total, known := 0.0, false
	for _, t := range c.Trials {
		if !valid(t) {
			continue
		}
		n := core.Number(of(t))
		if n == nil {
			return nil
		}
		total, known = total+*n, true
	}
	if !known {
		return nil
	}
	return &total
}

// added is the difference of the cells' 99th percentiles.
func added(low, high *facts.Cell) *float64 {
	a, b := numberOf(low, p99), numberOf(high, p99)
	if a == nil || b == nil {
		return nil
	}
	return new(*a - *b)
}

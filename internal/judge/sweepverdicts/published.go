package sweepverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
)

// Compared is a published relation beside this run's.
type Compared struct {
	Figure
	// Ours is this run's ratio of medians; nil where a cell is missing. Lo and Hi are the smallest
	// and the largest ratio of two trials; nil with one trial.
	Ours, Lo, Hi *float64
	Status       facts.Status
	// A and B are the cells; B is nil where the wait itself is compared.
	A, B *facts.Cell
	// Names are those of A and B.
	Names [2]string
	// Strained is true where all cores were busy in one of the cells.
	Strained bool
	// Failed is true where a request failed in one of them.
	Failed bool
}

// Published compares the sweep's figures, in their order.
func (t Table) Published() (out []Compared) {
	for _, f := range Figures {
		if f.sweep == t.Sweep {
			out = append(out, t.compared(f))
		}
	}
	return out
}

func (t Table) compared(f Figure) Compared {
	out := Compared{Figure: f, Status: facts.Inconclusive}
	var a, b []float64
	out.A, out.Names[0] = t.at(f.a)
	if a = f.measure.sampleOf(out.A); len(a) == 0 {
		return out
	}
	if f.b == nil {
		b = []float64{float64(f.a.place.DelayMS)}
	} else {
		out.B, out.Names[1] = t.at(f.b)
		if b = f.measure.sampleOf(out.B); len(b) == 0 {
			return out
		}
	}
	ma, mb := statistics.Median(a).Median, statistics.Median(b).Median
	if ma == nil || mb == nil || *mb <= 0 {
		return out
	}
	ratio := *ma / *mb
	out.Ours = &ratio
	if len(a) > 1 || len(b) > 1 {
		lo, hi := slices.Min(a)/slices.Max(b), slices.Max(a)/slices.Min(b)
		out.Lo, out.Hi = &lo, &hi
	}
	out.Strained = t.Strained(out.A) || t.Strained(out.B)
	failed, _ := Failures(out.A, out.B)
	out.Failed = failed > 0
	out.Status = f.agrees(out)
	return out
}

// agrees compares the directions: both ratios above 1 or both below. A published ratio near 1 has
// no direction, and trials on both sides of 1 have none either.
func (f Figure) agrees(c Compared) facts.Status {
	lo, hi := *c.Ours, *c.Ours
	if c.Lo != nil && c.Hi != nil {
		lo, hi = *c.Lo, *c.Hi
	}
	switch {
	case f.Near, lo <= 1 && hi >= 1:
		return facts.Inconclusive
	case (lo > 1) == (f.Ratio > 1):
		return facts.Reproduced
	}
	return facts.NotReproduced
}

// at finds the cell of a spot without a proxy.
func (t Table) at(s *spot) (*facts.Cell, string) {
	for _, client := range s.clients {
		for _, l := range t.Lines(Direct) {
			if l.Client != client || l.Bare {
				continue
			}
			if c := t.Measured(Direct, l, s.place); c != nil {
				return c, t.Name(Direct, l)
			}
		}
	}
	return nil, string(s.clients[0])
}

func (m Measure) sampleOf(c *facts.Cell) []float64 {
	if c == nil {
		return nil
	}
	return m.sample(c)
}

// Ours writes this run's ratio with the names of what it compares.
func (v Voice) Ours(c Compared) facts.Text {
	if c.Ours == nil {
		return facts.T("sweepverdict.not-measured")
	}
	s := facts.Verbatim(NumberOf(*c.Ours))
	if c.Lo != nil && c.Hi != nil {
		s.Add(facts.T("sweepverdict.trials", NumberOf(*c.Lo), NumberOf(*c.Hi)))
	}
	if c.Failed {
		s.Add(facts.T("sweepverdict.failed-requests"))
	}
	return s
}

// NumberOf writes a ratio.
func NumberOf(ratio float64) string { return text.Digits(ratio, 3) }

package sweepverdicts

import (
	"maps"
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
	// Strained is true where all cores were busy in one of the cells.
	Strained bool
	// Failed is true where a request failed in one of them.
	Failed bool
}

// Published compares the sweep's figures, in their order.
func (t Table) Published() (out []Compared) {
	for _, f := range Figures() {
		if f.Sweep == t.ID {
			out = append(out, t.compared(f))
		}
	}
	return out
}

func (t Table) compared(f Figure) Compared {
	out := Compared{Figure: f, Status: facts.Inconclusive, A: t.at(f.A)}
	a, b := f.measure().sample(out.A), []float64{float64(f.A.Delay)}
	if f.B != nil {
		out.B = t.at(f.B)
		b = f.measure().sample(out.B)
	}
	ma, mb := statistics.Median(a).Median, statistics.Median(b).Median
	if ma == nil || mb == nil || *mb <= 0 {
		return out
	}
	ratio := *ma / *mb
	lo, hi := slices.Min(a)/slices.Max(b), slices.Max(a)/slices.Min(b)
	out.Ours = &ratio
	if len(a) > 1 || len(b) > 1 {
		out.Lo, out.Hi = &lo, &hi
	}
	out.Strained = t.Strained(out.A) || t.Strained(out.B)
	failed, _ := Failures(out.A, out.B)
	out.Failed = failed > 0
	// The directions are compared: both ratios above 1 or both below. A published ratio near 1 has no direction, and trials on
	// both sides of 1 have none either.
	switch {
	case f.Near, lo <= 1 && hi >= 1:
	case (lo > 1) == (f.Ratio() > 1):
		out.Status = facts.Reproduced
	default:
		out.Status = facts.NotReproduced
	}
	return out
}

// at finds the cell of a spot without a proxy.
func (t Table) at(s *Spot) *facts.Cell {
	for _, client := range s.Clients {
		for _, l := range t.Lines(Direct) {
			if c := t.Measured(Direct, l, Place{s.Users, s.Delay}); c != nil && l.Client == client && !l.Bare {
				return c
			}
		}
	}
	return nil
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

// Figure is one relation of a published comparison (sweeps.toml). Only ratios are compared: the published
// absolute numbers belong to other machines.
type Figure struct {
	ID, Sweep string
	// What names the compared numbers.
	What facts.Text
	// Shown are the published numbers as they were printed, Of as numbers.
	Shown string
	Of    [2]float64
	// Measure is read at A and at B; a nil B stands for the wait of A's requests in ms.
	Measure string
	A, B    *Spot
	// Near is true where the published ratio is so close to 1 that its direction is no statement.
	Near bool
}

// Spot is a cell without a proxy: the first of some clients that the run has.
type Spot struct {
	Users, Delay int
	Clients      []facts.Client
}

// Figures are the published relations, in the order of the sweeps.
func Figures() []Figure { return table.Figure }

// Ratio is the published ratio.
func (f Figure) Ratio() float64 { return f.Of[0] / f.Of[1] }

func (f Figure) measure() Measure { return measureOf(f.Measure) }

// The callers and servers of the published comparisons, by their names in services/spring.
const (
	webClient  = facts.Client("webclient-h1")
	serverSync = facts.Client("server-sync")
	flux       = facts.Client("server-flux")
	mono       = facts.Client("server-mono-netty")
)

// Claim is a published statement that is no ratio, beside what this run shows.
type Claim struct {
	ID        string
	Published facts.Text
	Here      facts.Text
	Status    facts.Status
	cells     []*facts.Cell
}

const pendingLimit = "PoolAcquirePendingLimitException"

// refusedFrom is the published number of users from which on WebClient refuses requests.
const refusedFrom = 1600

// Claims compares the sweep's published statements.
func (v Voice) Claims() []Claim {
	switch v.Sweep {
	case Callers:
		return []Claim{v.refuses()}
	case Burst:
		return []Claim{v.blockingFails()}
	case LowLatency:
		return []Claim{v.crosses()}
	}
	return nil
}

func claim(id string, published facts.Text) Claim {
	return Claim{ID: id, Published: published, Status: facts.Inconclusive, Here: facts.T("sweepverdict.not-measured")}
}

func (v Voice) refuses() Claim {
	c := claim("callers-webclient-refuses", facts.T("sweepverdict.webclient-200-connections-1", pendingLimit, count(refusedFrom)))
	l := v.first([]facts.Client{webClient})
	if l == nil {
		return c
	}
	most := 0
	for _, p := range v.Places(Direct) {
		cell := v.Measured(Direct, *l, p)
		if cell == nil {
			continue
		}
		most, c.cells = p.Users, []*facts.Cell{cell}
		if i := slices.IndexFunc(Errors(cell), func(n Named) bool { return n.Name == pendingLimit }); i >= 0 {
			failed, attempts := Failures(cell)
			c.Status, c.Here = facts.Reproduced, facts.T("sweepverdict.users-requests-failed", count(p.Users),
				count(failed), count(attempts))
			return c
		}
	}
	if most >= refusedFrom {
		c.Status = facts.NotReproduced
	}
	if most > 0 {
		c.Here = facts.T("sweepverdict.not-up-users", count(most))
	}
	return c
}

func (v Voice) blockingFails() Claim {
	c := claim("burst-mvc-fails", facts.T("sweepverdict.wait-1-000-ms"))
	mvc, netty := v.at(&Spot{10000, 1000, []facts.Client{serverSync}}), v.at(&Spot{10000, 1000, []facts.Client{mono, flux}})
	if mvc == nil || netty == nil {
		return c
	}
	c.cells = []*facts.Cell{mvc, netty}
	a, all := Failures(mvc)
	b, sent := Failures(netty)
	c.Here = facts.T("sweepverdict.spring-mvc-failed-requests", count(a), count(all), count(b), count(sent))
	switch {
	case a > 0 && b == 0:
		c.Status = facts.Reproduced
	case a == 0:
		c.Status = facts.NotReproduced
	}
	return c
}

func (v Voice) crosses() Claim {
	c := claim("low-latency-crossing", facts.T("sweepverdict.blocking-ahead-below-10"))
	x := v.Cross()
	if x == nil {
		return c
	}
	c.Here, c.cells = v.crossing(*x), v.measuredAt(Direct)[:1]
	switch {
	case !x.Told:
	case x.DelayMS != nil && len(x.Before.Ratios) > 0 && x.After.Lower():
		c.Status = facts.Reproduced
	case x.DelayMS == nil, len(x.Before.Ratios) == 0:
		c.Status = facts.NotReproduced
	}
	return c
}

func keys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// blocking and reactive are the callers that the published comparisons set against each other, the
// first of a list that the run has.
var (
	blocking = []facts.Client{"resttemplate-apache", "resttemplate-pool"}
	reactive = []facts.Client{"webclient-h1", "webclient-h2"}
)

// Crossing says up to which delay one caller is ahead of another.
type Crossing struct {
	A, B Line
	From // of the ratios A ÷ B
}

// Cross compares the throughput of the blocking and of the reactive caller by delay, without a
// proxy; nil where the run doesn't have both.
func (t Table) Cross() *Crossing {
	a, b := t.first(blocking), t.first(reactive)
	if a == nil || b == nil {
		return nil
	}
	at := map[int]Pairs{}
	for _, p := range t.Places(Direct) {
		if r := ratios(Goodput, t.Measured(Direct, *a, p), t.Measured(Direct, *b, p)); len(r) > 0 {
			at[p.DelayMS] = Pairs{Ratios: append(at[p.DelayMS].Ratios, r...)}
		}
	}
	if len(at) == 0 {
		return nil
	}
	return &Crossing{A: *a, B: *b, From: split(keys(at), at)}
}

// first is the first of some clients that the sweep has without a proxy.
func (t Table) first(of []facts.Client) *Line {
	lines := t.Lines(Direct)
	for _, c := range of {
		if i := slices.IndexFunc(lines, func(l Line) bool { return l.Client == c && !l.Bare }); i >= 0 {
			return &lines[i]
		}
	}
	return nil
}

// Extreme has the best and the worst caller of one place.
type Extreme struct {
	Place       Place
	Best, Worst *Entry
	Strained    bool // all cores were busy for one of the two
}

// Entry is one caller at one place.
type Entry struct {
	Line
	Name  string
	Cell  *facts.Cell
	Value float64
}

// At compares the callers of a place without a proxy by the sweep's first measure.
func (t Table) At(p Place) Extreme {
	m, x := t.Measures[0], Extreme{Place: p}
	higher := m.ID == Goodput.ID
	for _, l := range t.Lines(Direct) {
		c := t.Measured(Direct, l, p)
		v := m.In(c)
		if l.Bare || v == nil {
			continue
		}
		e := Entry{Line: l, Name: t.Name(Direct, l), Cell: c, Value: *v}
		if failed, _ := Failures(c); failed > 0 && t.Sweep == Burst {
			continue // it did not answer all
		}
		if x.Best == nil || (e.Value > x.Best.Value) == higher && e.Value != x.Best.Value {
			x.Best = &e
		}
		if x.Worst == nil || (e.Value < x.Worst.Value) == higher && e.Value != x.Worst.Value {
			x.Worst = &e
		}
	}
	for _, e := range []*Entry{x.Best, x.Worst} {
		x.Strained = x.Strained || e != nil && t.Strained(e.Cell)
	}
	return x
}

// Telling are the places whose best and worst caller a decision rests on: the last place at which
// the machine was not the limit for two callers or more, and the last of all, where users are
// varied; the first and the last, where the delay is.
func (t Table) Telling() (out []Extreme) {
	var all []Extreme
	for _, p := range t.Places(Direct) {
		if x := t.At(p); x.Best != nil && x.Worst != nil && x.Best.Line != x.Worst.Line {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return nil
	}
	first := all[0]
	if t.Sweep == Callers {
		for _, x := range all {
			if !x.Strained {
				first = x
			}
		}
	}
	out = append(out, first)
	if last := all[len(all)-1]; last.Place != first.Place {
		out = append(out, last)
	}
	return out
}

// FirstFailure is the smallest number of users at which a caller without a proxy fails, with its
// cell; nil where it never does.
func (t Table) FirstFailure(l Line) *Entry {
	for _, p := range t.Places(Direct) {
		c := t.Measured(Direct, l, p)
		if failed, _ := Failures(c); failed > 0 {
			return &Entry{Line: l, Name: t.Name(Direct, l), Cell: c, Value: float64(t.Along(p))}
		}
	}
	return nil
}

package sweepverdicts

import "h2lab/internal/facts"

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
		if failed, _ := Failures(c); failed > 0 && t.Sweep == &Burst {
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
	if t.Sweep == &Callers {
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

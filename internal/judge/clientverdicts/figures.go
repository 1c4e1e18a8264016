package clientverdicts

import (
	"cmp"
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// Figures are a cell's numbers, summed over its trials. A pointer is nil if a trial lacks the
// number.
type Figures struct {
	// Totals has the trials that have figures. Duplicates is Executed − Distinct. Renewals of a server that doesn't count them
	// is the largest number that the requests and connections allow; nil if neither is known.
	core.Totals
	Counted bool // the server counted the renewals
	// Faults are those of trials whose program failed. These trials have no figures.
	Faults []facts.Fault
	// Unanswered is Executed − Succeeded. A request that was executed twice and answered once counts in Duplicates too.
	Unanswered *int64
	// Filled is the largest number of connections that can be filled by the requests that reached a
	// server during the client's life; nil if there is no limit.
	Filled *int64
	// own is true if the client's code renews connections below the limit.
	own bool
	// Goodput is the median over the trials, in requests per second.
	Goodput *float64
	// Errors are the groups of failures, joined over the trials; within a class the most frequent
	// comes first.
	Errors []facts.Error
}

// figuresOf sums a cell's trials. It returns nil if nothing was measured.
func figuresOf(c *facts.Cell) *Figures {
	if c == nil || len(c.Trials) == 0 {
		return nil
	}
	f := &Figures{}
	var measured []facts.Trial
	var rates []float64
	for _, t := range c.Trials {
		if t.Fault != nil {
			f.Faults = append(f.Faults, *t.Fault)
			continue
		}
		measured, rates = append(measured, t), append(rates, t.GoodputRPS)
		f.Errors = append(f.Errors, t.Errors...)
	}
	f.Totals, f.Errors = core.Total(measured), joined(f.Errors)
	if f.Trials == 0 {
		return f
	}
	f.Goodput = statistics.Median(rates).Median
	if c.Program != nil && !c.Program.IDs {
		f.Executed, f.Distinct = nil, nil
	}
	f.Duplicates = less(f.Executed, f.Distinct)
	f.Unanswered = less(f.Executed, &f.Succeeded)
	if n := limitOf(c); n > 0 {
		f.Filled = core.Sum(measured, func(t facts.Trial) *int64 { return filled(t, n) })
	}
	if f.Counted = f.Renewals != nil; !f.Counted {
		f.Renewals = f.atMost()
	}
	if c.Program != nil && c.Program.AssumesLimit > 0 {
		f.countOwnRenewals()
	}
	return f
}

// countOwnRenewals counts the connections of a client whose code replaces them below the limit. OkHttp's
// and the JDK's old connections stay open without requests, so the server counts no end: such a renewal
// shows as a new connection that carries requests, after the warm-up opened those in use.
func (f *Figures) countOwnRenewals() {
	if f.Accepted == nil || f.Used == nil || f.Renewals == nil {
		return
	}
	n := max(*f.Renewals, min(*f.Accepted, *f.Used))
	f.Renewals, f.own = &n, true
}

func less(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a - *b)
}

// limitOf returns the limit of a cell's front, as probed if it was probed.
func limitOf(c *facts.Cell) int64 {
	switch {
	case c.Limit.Effective != nil:
		return int64(*c.Limit.Effective)
	case c.Limit.Configured != nil:
		return int64(*c.Limit.Configured)
	}
	return 0
}

// atMost returns an upper bound on the renewals: the connections that the requests fill, and the
// connections that were opened or first used, whichever is less.
func (f *Figures) atMost() *int64 {
	if f.Filled == nil || f.Accepted == nil {
		return f.Filled
	}
	return new(min(*f.Filled, max(*f.Accepted, value(f.Used))))
}

// filled counts only the requests that reached a server: a client that never recovers keeps failing
// requests that no connection carries.
func filled(t facts.Trial, limit int64) *int64 {
	reached := t.Attempts
	if t.Backend.Executed != nil {
		reached = min(reached, *t.Backend.Executed)
	}
	if t.ColdStart.Requests != nil {
		reached += *t.ColdStart.Requests
	}
	return new(reached / limit)
}

// joined adds up the groups with the same class and message. Classes are in the order of
// lab.ErrorClasses; within a class the most frequent comes first.
func joined(in []facts.Error) []facts.Error {
	out := []facts.Error{}
	for _, e := range in {
		i := slices.IndexFunc(out, func(o facts.Error) bool { return o.Class == e.Class && o.Message == e.Message })
		if i < 0 {
			out = append(out, e)
			continue
		}
		out[i].Count += e.Count
	}
	place := func(class string) int {
		if i := slices.Index(facts.ErrorClasses, class); i >= 0 {
			return i
		}
		return len(facts.ErrorClasses)
	}
	slices.SortStableFunc(out, func(a, b facts.Error) int {
		return cmp.Or(cmp.Compare(place(a.Class), place(b.Class)), cmp.Compare(a.Class, b.Class),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Message, b.Message))
	})
	return out
}

// PerThousand returns the number of failed requests in 1,000; nil without requests.
func (f *Figures) PerThousand() *float64 {
	if f == nil || f.Attempts == 0 {
		return nil
	}
	return new(float64(f.Failed) / float64(f.Attempts) * 1000)
}

// PerRenewal returns the number of accepted connections per renewal; nil without renewals.
func (f *Figures) PerRenewal() *float64 {
	if f == nil || f.Accepted == nil {
		return nil
	}
	n := f.Due()
	if n < 1 {
		return nil
	}
	return new(float64(*f.Accepted) / float64(n))
}

// Due returns the number of renewals that the limit forced: the connections that the server counted
// as used up, or, if it doesn't count them, the expected ones. For a client that
// renews connections before they are used up, these are its renewals.
func (f *Figures) Due() int64 {
	switch {
	case f.own:
		return *f.Renewals
	case value(f.UsedUp) > 0:
		return *f.UsedUp
	case f.UsedUp != nil:
		return value(f.Renewals)
	case value(f.Expected) > 0:
		return *f.Expected
	}
	return value(f.Filled)
}

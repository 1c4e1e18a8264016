package limitmap

import (
	"math"

	"h2lab/internal/facts"
)

// extrapolated computes the cost of a limit that the place's windows don't reach from a lower limit:
// what one renewal cost there, and fewer of them.
//
// Where a renewal costs c seconds, n requests between two of them take n/g + c seconds; g is the
// goodput without renewals. The requests around a renewal are those of the lower limit's cell, all
// others those without renewals: the latencies are a mixture of both cells' in the ratio of the
// limits.
func (m Map) extrapolated(c Cost, from int) Cost {
	known := m.measured(Cost{Place: c.Place, Limit: from, Low: m.Cell(c.Place, from), High: c.High})
	share := float64(from) / float64(c.Limit)
	c.Source, c.From = Extrapolated, from
	c.Goodput = known.Goodput.fewer(share)
	c.P99, c.AddedMS = mixedP99(known, share)
	c.Renewals, c.Accepted, c.Used, c.Expected = known.Renewals, known.Accepted, known.Used, known.Expected
	c.FailedPer1000 = times(known.FailedPer1000, share)
	if known.Goodput != nil {
		c.PerS = times(known.PerS, share*c.Goodput.Value/known.Goodput.Value)
	}
	return c
}

func times(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	return new(*v * by)
}

// fewer is a ratio of goodputs with a share of the renewals.
func (r *Ratio) fewer(share float64) *Ratio {
	if r == nil {
		return nil
	}
	at := func(v float64) float64 { return 1 / (1 + (1/v-1)*share) }
	out := &Ratio{Value: at(r.Value), Told: r.Told}
	if r.Lo != nil {
		lo, hi := at(*r.Lo), at(*r.Hi)
		out.Lo, out.Hi = &lo, &hi
	}
	return out
}

// mixedP99 is the 99th percentile of a mixture of two cells' latencies, beside the one without
// renewals.
func mixedP99(known Cost, share float64) (*Ratio, *float64) {
	low, high := tailOf(known.Low), tailOf(known.High)
	if low == nil || high == nil || known.P99 == nil {
		return nil, nil
	}
	mixed := longer(low, high, share, 0.01)
	alone := longer(low, high, 0, 0.01)
	diff := mixed - alone
	return &Ratio{Value: mixed / alone, Told: known.P99.Told}, &diff
}

// tail is the share of a cell's requests that took longer than some times, in rising order of time.
type tail []struct{ ms, beyond float64 }

// shares are the percentiles that every trial has, as shares of the requests beyond them.
var shares = []struct {
	beyond float64
	of     measure
}{
	{0.5, func(t facts.Trial) *float64 { return t.LatencyMS.P50 }},
	{0.1, func(t facts.Trial) *float64 { return t.LatencyMS.P90 }},
	{0.05, func(t facts.Trial) *float64 { return t.LatencyMS.P95 }},
	{0.01, p99},
	{0.001, func(t facts.Trial) *float64 { return t.LatencyMS.P999 }},
}

// tailOf is a cell's tail; nil where a percentile is unknown.
func tailOf(c *facts.Cell) (out tail) {
	last := 0.0
	for _, s := range shares {
		v := numberOf(c, s.of)
		if v == nil {
			return nil
		}
		last = max(last, *v)
		out = append(out, struct{ ms, beyond float64 }{last, s.beyond})
	}
	return out
}

// after is the share of requests that took longer than a time. Between two percentiles it falls by a
// power of the time; all requests are slower than the median's half, none than twice the last percentile.
func (t tail) after(ms float64) float64 {
	if ms <= t[0].ms {
		return 1 - (1-t[0].beyond)*math.Max(0, math.Min(1, ms/t[0].ms*2-1))
	}
	for i := 1; i < len(t); i++ {
		if a, b := t[i-1], t[i]; ms <= b.ms {
			part := math.Log(ms/a.ms) / math.Log(b.ms/a.ms)
			return math.Exp(math.Log(a.beyond) + part*(math.Log(b.beyond)-math.Log(a.beyond)))
		}
	}
	end := t[len(t)-1]
	return end.beyond * math.Max(0, 2-ms/end.ms)
}

// longer is the time that a share of the requests exceeds, in a mixture of two tails.
func longer(low, high tail, share, beyond float64) float64 {
	lo, hi := 0.0, 2*math.Max(low[len(low)-1].ms, high[len(high)-1].ms)
	for range 60 {
		mid := (lo + hi) / 2
		if share*low.after(mid)+(1-share)*high.after(mid) > beyond {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

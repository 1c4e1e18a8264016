package limitmap

import (
	"math"

	"github.com/aclements/go-moremath/stats"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
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
	// Why says why there is no cost; empty where there are too few renewals.
	Why facts.Text
	// Low and High are the compared cells; nil where they were not planned.
	Low, High *facts.Cell
	// Goodput and P99 are ratios to those behind the highest limit. AddedMS is the difference of the
	// 99th percentiles.
	Goodput, P99 *Ratio
	AddedMS      *float64
	// Totals has the valid trials behind the limit.
	core.Totals
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
func (c Cost) Dials() *float64 { return quotient(core.Number(c.Accepted), core.Number(c.Renewals)) }

// PerUsed and PerExpected are how many connections the front accepted for one that carried a
// request, and for one that the requests needed.
func (c Cost) PerUsed() *float64 { return quotient(core.Number(c.Accepted), core.Number(c.Used)) }
func (c Cost) PerExpected() *float64 {
	return quotient(core.Number(c.Accepted), core.Number(c.Expected))
}

func quotient(a, b *float64) *float64 {
	if a == nil || b == nil || !(*b > 0) {
		return nil
	}
	return new(*a / *b)
}

// Cost compares a place behind a limit with itself behind the highest one.
func (m Map) Cost(p Place, limit int) Cost {
	c := Cost{Place: p, Limit: limit, Source: Absent, Low: m.Cell(p, limit), High: m.Cell(p, m.High)}
	if c.Low != nil && !c.Low.Unsupported.IsZero() {
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
	n := totals(c).Renewals
	return measurable(c) && n != nil && *n >= Fewest
}

func (m Map) measured(c Cost) Cost {
	own := m.noise[c.Spot]
	c.Source = Measured
	c.Goodput = ratio(c.Low, c.High, goodput, own.goodput, m.whole.goodput)
	c.P99 = ratio(c.Low, c.High, p99, own.p99, m.whole.p99)
	if a, b := numberOf(c.Low, p99), numberOf(c.High, p99); a != nil && b != nil {
		c.AddedMS = new(*a - *b)
	}
	c.Totals = totals(c.Low)
	c.PerS = quotient(core.Number(c.Renewals), &c.Seconds)
	c.FailedPer1000 = times(quotient(core.Number(&c.Failed), core.Number(&c.Attempts)), 1000)
	return c
}

// totals adds up a cell's valid trials.
func totals(c *facts.Cell) core.Totals {
	var counted []facts.Trial
	if c != nil {
		for _, t := range c.Trials {
			if valid(t) {
				counted = append(counted, t)
			}
		}
	}
	return core.Total(counted)
}

// measure is a number of a trial; nil where it is unknown. Only positive ones are compared.
type measure = func(facts.Trial) *float64

func goodput(t facts.Trial) *float64 { return &t.GoodputRPS }
func p99(t facts.Trial) *float64     { return t.LatencyMS.P99 }

func positive(v *float64) *float64 {
	if v == nil || !(*v > 0) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// scatter is how much the logarithm of a number differs between trials of one cell: the pooled
// standard deviation and its degrees of freedom.
type scatter struct {
	squares float64
	freedom int
}

func (s *scatter) add(values []float64) {
	if len(values) < 2 {
		return
	}
	mean := meanOf(values)
	for _, v := range values {
		s.squares += (v - mean) * (v - mean)
	}
	s.freedom += len(values) - 1
}

// noise is the scatter of the compared numbers.
type noise struct{ goodput, p99 scatter }

// leastFreedom is the fewest degrees of freedom of a place's own scatter. Below, that of the whole run
// is used: with two of them the quantile of Student's distribution is more than twice the normal one.
const leastFreedom = 4

// measureNoise pools the scatter of the trials of all cells that share a place on the map, whatever
// their limit and load.
func (m *Map) measureNoise() {
	m.noise = map[Spot]noise{}
	for _, p := range m.Places {
		of := m.noise[p.Spot]
		for _, limit := range append(m.Limits(), m.High) {
			if c := m.Cell(p, limit); c != nil {
				a, b := logs(c, goodput), logs(c, p99)
				of.goodput.add(a)
				of.p99.add(b)
				m.whole.goodput.add(a)
				m.whole.p99.add(b)
			}
		}
		m.noise[p.Spot] = of
	}
}

// logs are the logarithms of a number in a cell's valid trials.
func logs(c *facts.Cell, of measure) (out []float64) {
	if c == nil {
		return nil
	}
	for _, t := range c.Trials {
		if v := positive(of(t)); v != nil && valid(t) {
			out = append(out, math.Log(*v))
		}
	}
	return out
}

// valid reports whether a trial says something about the server: its load generator neither failed, nor ran
// out of files, ports, threads or memory, nor fell behind its schedule.
func valid(t facts.Trial) bool {
	return t.Fault == nil && facts.Starved(t.Errors) == 0 && t.ElapsedS > 0 && (t.Schedule == nil || !t.Schedule.Behind())
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Ratio is a number behind a limit divided by the same number behind the highest one.
type Ratio struct {
	Value float64
	// Lo and Hi are its 95 % interval; nil for an extrapolated p99.
	Lo, Hi *float64
	// Told is set where the interval excludes 1, or did so where an extrapolated ratio was measured.
	Told bool
}

// Assumed is the scatter of a run that repeats no cell, as the standard deviation of the logarithm. With it a ratio
// is beyond noise from a factor of 1.74 on. many degrees of freedom make Student's interval a normal one.
const (
	Assumed = 0.2
	many    = 1000
)

// numberOf is a number of a cell over all valid trials: a percentile of all their requests together where
// they have histograms, else the trials' geometric mean.
func numberOf(c *facts.Cell, of measure) *float64 {
	if v := positive(core.Pooled(c, of)); v != nil {
		return v
	}
	all := logs(c, of)
	if len(all) == 0 {
		return nil
	}
	return new(math.Exp(meanOf(all)))
}

// ratio divides a number of two cells. The interval is Student's, of the pooled scatter of the logarithms.
func ratio(low, high *facts.Cell, of measure, own, whole scatter) *Ratio {
	a, b := numberOf(low, of), numberOf(high, of)
	if a == nil || b == nil {
		return nil
	}
	r := &Ratio{Value: *a / *b}
	if own.freedom < leastFreedom {
		own = whole
	}
	if own.freedom == 0 {
		own = scatter{Assumed * Assumed * many, many}
	}
	t := stats.InvCDF(stats.TDist{V: float64(own.freedom)})(1 - statistics.Alpha/2)
	half := t * math.Sqrt(own.squares/float64(own.freedom)*(1/float64(len(logs(low, of)))+1/float64(len(logs(high, of)))))
	lo, hi := r.Value*math.Exp(-half), r.Value*math.Exp(half)
	r.Lo, r.Hi, r.Told = &lo, &hi, lo > 1 || hi < 1
	return r
}

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
	c.Totals = known.Totals
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

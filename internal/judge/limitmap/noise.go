package limitmap

import (
	"math"

	"github.com/aclements/go-moremath/stats"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

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

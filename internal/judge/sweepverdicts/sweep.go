package sweepverdicts

import (
	"regexp"
	"slices"
	"strconv"

	"h2lab/internal/facts"
)

// Command is run.command of a sweep.
const Command = "sweep"

// High is the topology whose limit no window reaches; Direct has none.
const (
	High   = "nginx-100000"
	Direct = "direct"
)

// Sweep is one of the tables that a sweep measures.
type Sweep struct {
	ID    string
	Title facts.Text
	// Point has the numbers of a cell's place as the cell's name shows them.
	point *regexp.Regexp
	// ByDelay is true where the delay is varied along a curve, false where the users are.
	ByDelay bool
	// Grouped is true where the other number is varied too.
	Grouped bool
	// Users and Delays are the whole table; a quick or filtered run has a part of it.
	Users, Delays []int
	// Measures are the table's columns, the first one also that of its charts behind the limit.
	Measures []Measure
	// Slow is the measure that shows what a renewal costs a caller.
	Slow Measure
}

// The sweeps, in the order of the page.
var (
	Callers = Sweep{ID: "callers", Title: facts.T("sweepverdict.callers"), point: regexp.MustCompile(`^\d+-users$`),
		Users: []int{100, 200, 400, 800, 1200, 1600, 2000, 3000, 5000}, Delays: []int{100},
		Measures: []Measure{Goodput, P95, Threads, Heap, ServiceCPU, Lag, Failed}, Slow: P95}
	Burst = Sweep{ID: "burst", Title: facts.T("sweepverdict.burst"), point: regexp.MustCompile(`^\d+ms$`),
		ByDelay: true, Users: []int{10000}, Delays: []int{50, 100, 200, 500, 1000},
		Measures: []Measure{Total, Failed}, Slow: Total}
	LowLatency = Sweep{ID: "low-latency", Title: facts.T("sweepverdict.low-latency"),
		point: regexp.MustCompile(`^\d+ms-\d+-threads$`), ByDelay: true, Grouped: true,
		Users: []int{50, 100, 200, 300}, Delays: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50},
		Measures: []Measure{P99, P999, Goodput}, Slow: P99}
	Async = Sweep{ID: "async", Title: facts.T("sweepverdict.async"), point: regexp.MustCompile(`^\d+-users-\d+ms$`),
		Grouped: true, Users: []int{100, 200, 400, 800, 1000, 2000}, Delays: []int{10, 100, 500},
		Measures: []Measure{Mean, Threads, Heap}, Slow: Mean}
	Sweeps = []*Sweep{&Callers, &Burst, &LowLatency, &Async}
)

// Place is where a cell stands in its sweep.
type Place struct{ Users, DelayMS int }

// Along is the number that is varied along a curve, and Group the other one.
func (s *Sweep) Along(p Place) int {
	if s.ByDelay {
		return p.DelayMS
	}
	return p.Users
}

// Group is the number that differs between a sweep's panels.
func (s *Sweep) Group(p Place) int {
	if s.ByDelay {
		return p.Users
	}
	return p.DelayMS
}

// Whole lists the places of the whole table, by group. Two sweeps are no full product of their
// numbers: the low-latency sweep varies the delay at 100 threads and has three delays at the other
// numbers of threads, so that it ends in time; the published test gave 1,000 and 2,000 users to the
// reactive server alone.
func (s *Sweep) Whole() (out []Place) {
	for _, u := range s.Users {
		for _, d := range s.Delays {
			switch {
			case s == &LowLatency && u != 100 && d != 1 && d != 10 && d != 50:
			case s == &Async && (u == 1000 || u == 2000) && d != 500:
			default:
				out = append(out, Place{u, d})
			}
		}
	}
	s.sort(out)
	return out
}

// sort orders places by group, then along the curve.
func (s *Sweep) sort(places []Place) {
	slices.SortFunc(places, func(a, b Place) int {
		if d := s.Group(a) - s.Group(b); d != 0 {
			return d
		}
		return s.Along(a) - s.Along(b)
	})
}

// of finds the sweep of a point.
func of(point string) *Sweep {
	for _, s := range Sweeps {
		if s.point.MatchString(point) {
			return s
		}
	}
	return nil
}

// placeOf is a cell's place. A burst's users are its requests.
func placeOf(c *facts.Cell) Place {
	p := Place{Users: c.Workload.Concurrency, DelayMS: c.Workload.DelayMS}
	if of(c.Point) == &Burst && c.Workload.Requests > 0 {
		p.Users = c.Workload.Requests
	}
	return p
}

// low is the topology with the run's low limit.
func low(r *facts.Result) string { return "nginx-" + strconv.Itoa(r.Run.Limit) }

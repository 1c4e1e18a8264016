package conduct

import (
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// Windows measures the window of a client program in renewals instead of seconds: it lasts long
// enough for Renewals of them, from Shortest to Longest. A program gets its window's length when it
// starts, so Windows calculates the length before: from the client's pace where it is known, and
// from the first window when that one was too short.
type Windows struct {
	Renewals          int
	Shortest, Longest time.Duration
	// Pace returns the client's pace in a cell that is already measured.
	Pace func(facts.Planned) (Pace, bool)
}

// Pace is how fast a client uses up connections.
type Pace struct {
	RequestsPerS float64
	Held         int64 // connections that share its requests
}

// PaceIn is a client's pace in the newest of its cells that has figures, and the connections it
// holds where no limit ends them.
func PaceIn(r *facts.Result, cell facts.Planned) (Pace, bool) {
	var p Pace
	for _, c := range r.Cells {
		if c.Client != cell.Client || c.Protocol != cell.Protocol {
			continue
		}
		for _, t := range c.Trials {
			if t.Fault != nil || t.Succeeded == 0 || t.ElapsedS <= 0 {
				continue
			}
			if p.RequestsPerS == 0 { // the plan's first cell is the one without a limit
				p.Held = held(c.Workload, t)
			}
			p.RequestsPerS = float64(t.Succeeded) / t.ElapsedS
		}
	}
	p.Held = min(p.Held, int64(cell.Workload.Concurrency))
	return p, p.RequestsPerS > 0
}

// held is how many connections the client's requests share.
func held(w facts.Workload, t facts.Trial) int64 {
	return min(int64(w.Concurrency), known(t.ColdStart.Used)+known(t.Connections.Used))
}

// usualShare is how many connections a client may hold for each renewal that the window must have.
// It may open every one of them once more in the window; with fewer renewals than a third of them
// that looks like a stampede (clientverdicts has the same third as stampedeFactor).
const usualShare = 3

// reserve is how much longer than calculated a window is: a client slows down while it dials, and
// pace differed by a fifth within a minute (measured).
const reserve = 1.25

// needed is how many renewals the window must have for a client that holds so many connections.
func (w Windows) needed(held int64) int64 {
	return max(int64(w.Renewals), (held+usualShare-1)/usualShare)
}

// lengthFor is how long the client needs for that many requests on each of its connections.
func (w Windows) lengthFor(limit int, p Pace) time.Duration {
	connections := max(float64(w.needed(p.Held))+0.5, float64(p.Held))
	return seconds(reserve * connections * float64(limit) / p.RequestsPerS)
}

// most is the longest window for a client that holds so many connections. A client with many
// connections needs less time at a lower limit, where the run measures it at one.
func (w Windows) most(cell facts.Planned, held int64) time.Duration {
	if held > int64(w.Renewals) && !lowest(cell) {
		return max(w.Longest/2, w.Shortest)
	}
	return w.Longest
}

// first is the length of a trial's first window. It is the shortest for a client that would need too
// long a window and is measured at a lower limit later.
func (w Windows) first(cell facts.Planned) time.Duration {
	if w.Pace == nil || !limited(cell) {
		return w.Shortest
	}
	p, known := w.Pace(cell)
	if !known || p.RequestsPerS <= 0 {
		return w.Shortest
	}
	length, most := w.lengthFor(cell.Topology.Limit, p), w.most(cell, p.Held)
	if length > seconds(reserve*most.Seconds()) && !lowest(cell) {
		return w.Shortest
	}
	return min(max(length, w.Shortest), most)
}

// longer reports whether a second, longer window would have the renewals that the first one lacks,
// and its length.
func (w Windows) longer(cell facts.Planned, t facts.Trial) (time.Duration, bool) {
	limit, renewals := cell.Topology.Limit, t.Connections.Renewals()
	if !limited(cell) || renewals == nil || t.Succeeded == 0 || t.ElapsedS <= 0 {
		return 0, false
	}
	spread := held(cell.Workload, t)
	need := w.needed(spread)
	if *renewals >= need {
		return 0, false
	}
	length := w.lengthFor(limit, Pace{RequestsPerS: float64(t.Succeeded) / t.ElapsedS, Held: spread})
	if *renewals > 0 { // from its renewals, which may need less time
		length = min(length, seconds(reserve*t.WindowS*float64(need)/float64(*renewals)))
	}
	most := w.most(cell, spread)
	if length > most && (!lowest(cell) || t.WindowS >= most.Seconds()) {
		return 0, false
	}
	return max(min(length, most), seconds(t.WindowS)+w.Shortest), true
}

// lowest reports whether the run measures the client at no lower limit than the cell's, which then
// has to decide, however long that takes.
func lowest(cell facts.Planned) bool {
	return cell.Topology.Limit <= plan.LowerLimit || cell.Program != nil && cell.Program.AssumesLimit > plan.LowerLimit
}

// limited reports whether the cell is about renewals: no window meets the high limit.
func limited(cell facts.Planned) bool {
	return cell.Topology.Limit > 0 && cell.Topology.Limit < plan.HighLimit
}

func lasting(cell facts.Planned, d time.Duration) facts.Planned {
	cell.Workload.DurationS = d.Seconds()
	return cell
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func known(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

package sweepverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Voice writes the sentences about a sweep.
type Voice struct{ Table }

func count[N text.Integer](n N) string { return text.Count(n) }

func measured(x *float64) string { return text.Maybe(x, text.Measured) }

// ratio writes the median ratio of pairs with its interval, and a ~ where the interval doesn't
// exclude 1.
func (v Voice) ratio(p Pairs) string {
	if p.Median.Median == nil {
		return text.Unknown
	}
	s := text.Decimals(*p.Median.Median, 2) + " ×"
	if p.Told() {
		s += " [" + text.Decimals(*p.Median.Lo, 2) + ", " + text.Decimals(*p.Median.Hi, 2) + "]"
	}
	if !p.Higher() && !p.Lower() {
		s = "~ " + s
	}
	return s
}

// place names a place.
func (v Voice) place(p Place) facts.Text {
	switch v.Sweep {
	case &Callers:
		return facts.T("sweepverdict.users", count(p.Users))
	case &Burst:
		return facts.T("sweepverdict.wait-ms", count(p.DelayMS))
	case &LowLatency:
		return facts.T("sweepverdict.threads-backend-delay-ms", count(p.Users), count(p.DelayMS))
	}
	return facts.T("sweepverdict.users-wait-ms", count(p.Users), count(p.DelayMS))
}

// begins names a place at the beginning of a sentence.
func (v Voice) begins(p Place) facts.Text {
	switch v.Sweep {
	case &Callers:
		return facts.T("sweepverdict.begins-users", count(p.Users))
	case &Burst:
		return facts.T("sweepverdict.begins-wait", count(p.DelayMS))
	case &LowLatency:
		return facts.T("sweepverdict.begins-threads", count(p.Users), count(p.DelayMS))
	}
	return facts.T("sweepverdict.begins-users-wait", count(p.Users), count(p.DelayMS))
}

// Short is a place in a table whose column has the unit.
func (v Voice) Short(p Place) string { return count(v.Along(p)) }

// Named is a place with both numbers.
func (v Voice) Named(p Place) facts.Text {
	if v.Sweep == &LowLatency {
		return facts.T("sweepverdict.threads-ms", count(p.Users), count(p.DelayMS))
	}
	return facts.T("sweepverdict.users-ms", count(p.Users), count(p.DelayMS))
}

// Decisions are the sentences that a decision without a limit can rest on.
func (v Voice) Decisions() (out []facts.Text) {
	for _, x := range v.Telling() {
		out = append(out, v.extreme(x))
	}
	if c := v.Cross(); v.Sweep == &LowLatency && c != nil {
		out = append(out, v.crossing(*c))
	}
	out = append(out, v.stops()...)
	none := true
	for _, l := range v.Lines(Direct) {
		if e := v.FirstFailure(l); e != nil {
			none = false
			failed, attempts := Failures(e.Cell)
			out = append(out, facts.T("sweepverdict.failed-first-requests", e.Name, v.place(placeOf(e.Cell)),
				count(failed), count(attempts), v.names(Errors(e.Cell), failed)))
		}
	}
	if failed, attempts := Failures(v.measuredAt(Direct)...); none && attempts > 0 && failed == 0 {
		out = append(out, facts.T("sweepverdict.without-proxy-none-requests", count(attempts)))
	}
	return out
}

// stops says beyond which number of users a caller was not measured, and why.
func (v Voice) stops() (out []facts.Text) {
	if v.Sweep != &Callers {
		return nil
	}
	for _, l := range v.Lines(Direct) {
		for _, p := range v.Places(Direct) {
			if c := v.Cell(Direct, l, p); c != nil && c.Unsupported != "" {
				out = append(out, facts.T("sweepverdict.not-measured-users-or", v.Name(Direct, l), count(p.Users),
					core.Unmeasured(c)))
				break
			}
		}
	}
	return out
}

func (v Voice) measuredAt(topology string) (out []*facts.Cell) {
	for _, c := range v.cells {
		if c.Topology == topology {
			out = append(out, c)
		}
	}
	return out
}

// fewNames is how many names of errors a sentence has.
const fewNames = 3

// names lists errors, "" where there is none.
func (v Voice) names(all []Named, failed int64) facts.Text {
	var out []string
	for _, n := range firstOf(all, fewNames) {
		if len(all) == 1 && n.Count == failed {
			out = append(out, "`"+n.Name+"`")
			continue
		}
		out = append(out, "`"+n.Name+"` "+count(n.Count))
	}
	if out == nil {
		return facts.Text{}
	}
	return facts.T("sweepverdict.in-brackets", core.List(out))
}

func (v Voice) extreme(x Extreme) facts.Text {
	var s facts.Text
	where := v.begins(x.Place)
	best, worst := x.Best, x.Worst
	switch v.Sweep {
	case &Callers:
		s = facts.T("sweepverdict.answered-requests-s-p95", where,
			best.Name, measured(&best.Value), measured(P95.In(best.Cell)), v.threads(best.Cell), worst.Name,
			measured(&worst.Value), measured(P95.In(worst.Cell)), v.threads(worst.Cell),
			text.Factor(best.Value/worst.Value))
	case &Burst:
		s = facts.T("sweepverdict.answered-all-requests-s", where, best.Name, count(x.Place.Users),
			measured(&best.Value), worst.Name, measured(&worst.Value), text.Factor(worst.Value/best.Value))
	case &LowLatency:
		s = facts.T("sweepverdict.p99-ms-ms", where, best.Name, measured(&best.Value), worst.Name,
			measured(&worst.Value), text.Factor(worst.Value/best.Value))
	default:
		s = facts.T("sweepverdict.request-took-ms-ms", where, measured(&best.Value), best.Name,
			measured(&worst.Value), worst.Name, text.Factor(worst.Value/best.Value))
	}
	if x.Strained {
		s.Add(facts.T("sweepverdict.all-cores-busy-so"))
	}
	return facts.T("verdict.sentence", s)
}

// threads is the number of a cell's threads, with the failures of its users.
func (v Voice) threads(c *facts.Cell) facts.Text {
	s := facts.T("sweepverdict.threads-of", Threads.Text(c))
	if failed, attempts := Failures(c); failed > 0 {
		s.Add(facts.T("join.semicolon"), facts.T("sweepverdict.requests-failed", count(failed), count(attempts)))
	}
	return s
}

// crossing says up to which delay the blocking caller is ahead.
func (v Voice) crossing(c Crossing) facts.Text {
	a, b := v.Name(Direct, c.A), v.Name(Direct, c.B)
	all := Pairs{Ratios: append(append([]float64{}, c.Before.Ratios...), c.After.Ratios...)}.counted()
	switch {
	case !c.Told:
		return facts.T("sweepverdict.higher-throughput-than-pairs", a, b, count(all.Above), count(len(all.Ratios)), v.ratio(all))
	case c.DelayMS == nil:
		return facts.T("sweepverdict.higher-throughput-than-up", a, b,
			count(all.Above), count(len(all.Ratios)), v.ratio(all))
	case len(c.Before.Ratios) == 0:
		return facts.T("sweepverdict.higher-throughput-than-pairs-median", a, b, count(all.Above), count(len(all.Ratios)),
			v.ratio(all), count(agree))
	}
	return facts.T("sweepverdict.below-ms-higher-throughput", count(*c.DelayMS), a, b, count(c.Before.Above),
		count(len(c.Before.Ratios)), v.ratio(c.Before),
		count(c.After.Above), count(len(c.After.Ratios)), v.ratio(c.After))
}

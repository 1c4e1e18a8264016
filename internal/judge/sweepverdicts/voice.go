package sweepverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// Voice writes the sentences about a sweep in a language.
type Voice struct {
	In translations.Language
	Table
}

func (v Voice) say(p translations.Phrase, args ...any) string { return v.In.Say(p, args...) }

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
func (v Voice) place(p Place) string {
	switch v.Sweep {
	case &Callers:
		return v.say("at %s users", count(p.Users))
	case &Burst:
		return v.say("with a wait of %s ms", count(p.DelayMS))
	case &LowLatency:
		return v.say("with %s threads at a backend delay of %s ms", count(p.Users), count(p.DelayMS))
	}
	return v.say("at %s users with a wait of %s ms", count(p.Users), count(p.DelayMS))
}

// Short is a place in a table whose column has the unit.
func (v Voice) Short(p Place) string { return count(v.Along(p)) }

// Named is a place with both numbers.
func (v Voice) Named(p Place) string {
	if v.Sweep == &LowLatency {
		return v.say("%s threads × %s ms", count(p.Users), count(p.DelayMS))
	}
	return v.say("%s users × %s ms", count(p.Users), count(p.DelayMS))
}

// Decisions are the sentences that a decision without a limit can rest on.
func (v Voice) Decisions() (out []string) {
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
			out = append(out, v.say("%s failed first %s: %s of %s requests there%s.", e.Name, v.place(placeOf(e.Cell)),
				count(failed), count(attempts), v.names(Errors(e.Cell), failed)))
		}
	}
	if failed, attempts := Failures(v.measuredAt(Direct)...); none && attempts > 0 && failed == 0 {
		out = append(out, v.say("Without a proxy, none of %s requests failed.", count(attempts)))
	}
	return out
}

// stops says beyond which number of users a caller was not measured, and why.
func (v Voice) stops() (out []string) {
	if v.Sweep != &Callers {
		return nil
	}
	for _, l := range v.Lines(Direct) {
		for _, p := range v.Places(Direct) {
			if c := v.Cell(Direct, l, p); c != nil && c.Unsupported != "" {
				out = append(out, v.say("%s was not measured with %s users or more: %s.", v.Name(Direct, l), count(p.Users),
					core.Unmeasured(v.In, c)))
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
func (v Voice) names(all []Named, failed int64) string {
	var out []string
	for _, n := range firstOf(all, fewNames) {
		if len(all) == 1 && n.Count == failed {
			out = append(out, "`"+n.Name+"`")
			continue
		}
		out = append(out, "`"+n.Name+"` "+count(n.Count))
	}
	if out == nil {
		return ""
	}
	return v.say(" (%s)", v.In.List(out))
}

func (v Voice) extreme(x Extreme) string {
	var s string
	where := text.Capital(v.place(x.Place))
	best, worst := x.Best, x.Worst
	switch v.Sweep {
	case &Callers:
		s = v.say("%s %s answered %s requests/s (p95 %s ms, %s), %s %s (p95 %s ms, %s), %s", where,
			best.Name, measured(&best.Value), measured(P95.In(best.Cell)), v.threads(best.Cell), worst.Name,
			measured(&worst.Value), measured(P95.In(worst.Cell)), v.threads(worst.Cell),
			text.Factor(best.Value/worst.Value))
	case &Burst:
		s = v.say("%s %s answered all %s requests in %s s, %s in %s s, %s", where, best.Name, count(x.Place.Users),
			measured(&best.Value), worst.Name, measured(&worst.Value), text.Factor(worst.Value/best.Value))
	case &LowLatency:
		s = v.say("%s %s had a p99 of %s ms, %s of %s ms, %s", where, best.Name, measured(&best.Value), worst.Name,
			measured(&worst.Value), text.Factor(worst.Value/best.Value))
	default:
		s = v.say("%s a request took %s ms on %s and %s ms on %s, %s", where, measured(&best.Value), best.Name,
			measured(&worst.Value), worst.Name, text.Factor(worst.Value/best.Value))
	}
	if x.Strained {
		s += v.say("; all cores were busy, so the machine was the limit")
	}
	return v.say("%s.", s)
}

// threads is the number of a cell's threads, with the failures of its users.
func (v Voice) threads(c *facts.Cell) string {
	s := v.say("%s threads", Threads.Text(c))
	if failed, attempts := Failures(c); failed > 0 {
		s += v.say("; ") + v.say("%s of %s requests failed", count(failed), count(attempts))
	}
	return s
}

// crossing says up to which delay the blocking caller is ahead.
func (v Voice) crossing(c Crossing) string {
	a, b := v.Name(Direct, c.A), v.Name(Direct, c.B)
	all := Pairs{Ratios: append(append([]float64{}, c.Before.Ratios...), c.After.Ratios...)}.counted()
	switch {
	case !c.Told:
		return v.say("%s had the higher throughput than %s in %s of %s pairs (median %s): too few to locate where the "+
			"order changes.", a, b, count(all.Above), count(len(all.Ratios)), v.ratio(all))
	case c.DelayMS == nil:
		return v.say("%s had the higher throughput than %s up to the largest delay, in %s of %s pairs (median %s).", a, b,
			count(all.Above), count(len(all.Ratios)), v.ratio(all))
	case len(c.Before.Ratios) == 0:
		return v.say("%s had the higher throughput than %s in %s of %s pairs (median %s), and in no %s neighbouring ones "+
			"together.", a, b, count(all.Above), count(len(all.Ratios)), v.ratio(all), count(agree))
	}
	return v.say("Below %s ms %s had the higher throughput than %s in %s of %s pairs (median %s), from there on in %s of "+
		"%s (median %s).", count(*c.DelayMS), a, b, count(c.Before.Above), count(len(c.Before.Ratios)), v.ratio(c.Before),
		count(c.After.Above), count(len(c.After.Ratios)), v.ratio(c.After))
}

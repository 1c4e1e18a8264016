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

// place names a place within a sentence or at its beginning, by a text of the sweep.
func (v Voice) place(p Place, key string) facts.Text {
	if v.Grouped {
		return facts.T(key, count(p.Users), count(p.DelayMS))
	}
	return facts.T(key, count(v.Along(p)))
}

// Short is a place in a table whose column has the unit.
func (v Voice) Short(p Place) string { return count(v.Along(p)) }

// Named is a place with both numbers.
func (v Voice) Named(p Place) facts.Text { return facts.T(v.InTable, count(p.Users), count(p.DelayMS)) }

// Decisions are the sentences that a decision without a limit can rest on.
func (v Voice) Decisions() (out []facts.Text) {
	for _, x := range v.Telling() {
		out = append(out, v.extreme(x))
	}
	if c := v.Cross(); v.Sweep == LowLatency && c != nil {
		out = append(out, v.crossing(*c))
	}
	out = append(out, v.stops()...)
	none := true
	for _, l := range v.Lines(Direct) {
		if e := v.FirstFailure(l); e != nil {
			none = false
			failed, attempts := Failures(e.Cell)
			out = append(out, facts.T("sweepverdict.failed-first-requests", e.Name, v.place(placeOf(e.Cell), v.Within),
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
	if v.Sweep != Callers {
		return nil
	}
	for _, l := range v.Lines(Direct) {
		for _, p := range v.Places(Direct) {
			if c := v.Cell(Direct, l, p); c != nil && !c.Unsupported.IsZero() {
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

// extreme compares the best and the worst caller of a place. A sweep's text takes those of the arguments that it shows.
func (v Voice) extreme(x Extreme) facts.Text {
	best, worst := x.Best, x.Worst
	s := facts.T(v.Sweep.Extreme, v.place(x.Place, v.Begins), best.Name, measured(&best.Value), worst.Name, measured(&worst.Value),
		text.Factor(max(best.Value/worst.Value, worst.Value/best.Value)), count(x.Place.Users), measured(P95.In(best.Cell)),
		v.threads(best.Cell), measured(P95.In(worst.Cell)), v.threads(worst.Cell))
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
		return facts.T("sweepverdict.higher-throughput-than-up", a, b, count(all.Above), count(len(all.Ratios)), v.ratio(all))
	case len(c.Before.Ratios) == 0:
		return facts.T("sweepverdict.higher-throughput-than-pairs-median", a, b, count(all.Above), count(len(all.Ratios)),
			v.ratio(all), count(agree))
	}
	return facts.T("sweepverdict.below-ms-higher-throughput", count(*c.DelayMS), a, b, count(c.Before.Above),
		count(len(c.Before.Ratios)), v.ratio(c.Before),
		count(c.After.Above), count(len(c.After.Ratios)), v.ratio(c.After))
}

// kinds are the kinds in words for a table, and how a sentence about a caller says it.
var kinds = map[Kind]struct{ word, verb string }{
	MakesErrors:  {"sweepverdict.errors", "sweepverdict.turns-limit-into-errors"},
	MakesLatency: {"sweepverdict.latency", "sweepverdict.turns-limit-into-latency"},
	MakesBoth:    {"sweepverdict.errors-latency", "sweepverdict.turns-limit-into-errors-latency"},
	Hides:        {"sweepverdict.hides", "sweepverdict.hides-limit-users"},
	Duplicates:   {"sweepverdict.hides-duplicates", "sweepverdict.hides-limit-users-sends"},
	NotReached:   {"sweepverdict.limit-not-reached", ""},
	Untold:       {"sweepverdict.cant-told", ""},
	NotMeasured:  {"sweepverdict.not-measured", ""},
}

// Word is a kind for a table.
func (v Voice) Word(k Kind) facts.Text { return facts.T(kinds[k].word) }

// Effect says what a caller makes of the limit, with its numbers.
func (v Voice) Effect(e Effect) facts.Text {
	low := v.Low()
	switch e.Kind {
	case NotMeasured:
		s := facts.T("sweepverdict.measured-no-place-behind", e.Name)
		if e.Faults > 0 {
			s.Add(facts.T("join.sentences"), facts.T("sweepverdict.trials-failed", count(e.Faults), count(e.Planned), v.Low()))
		}
		return s
	case NotReached:
		return facts.T("sweepverdict.no-connection-reached-limit", e.Name, low, count(e.Attempts))
	case Untold:
		if e.Slow.Told() {
			return facts.T("sweepverdict.whether-connection-reached-limit", e.Name, v.SlowName, v.ratio(e.Slow), low, High)
		}
		return facts.T("sweepverdict.too-little-statement-over", e.Name,
			v.ratio(e.Slow), v.SlowName, v.pairs(e.Slow), count(e.Failed), count(e.Attempts))
	}
	parts := []facts.Text{facts.T(kinds[e.Kind].verb, e.Name)}
	if e.Kind != MakesErrors || len(e.Slow.Ratios) > 0 {
		parts = append(parts, facts.T("sweepverdict.as-high-behind-as", v.SlowName, v.ratio(e.Slow), low,
			High, v.pairs(e.Slow)))
	}
	if e.Failed > 0 || e.Above.Failed > 0 {
		parts = append(parts, facts.T("sweepverdict.requests-failed-behind-behind", count(e.Failed),
			count(e.Attempts), low, v.names(e.Errors, e.Failed), count(e.Above.Failed), count(e.Above.Attempts), High))
	} else {
		parts = append(parts, facts.T("sweepverdict.no-request-failed"))
	}
	if e.Faults > 0 {
		parts = append(parts, facts.T("sweepverdict.trials-behind-service-or", count(e.Faults), count(e.Planned), low))
	}
	if e.Duplicates != nil && *e.Duplicates > 0 {
		parts = append(parts, facts.T("sweepverdict.backend-executed-requests-more", count(*e.Duplicates)))
	}
	if e.Accepted != nil && e.Expected != nil {
		parts = append(parts, facts.T("sweepverdict.accepted-connections-where-expected", low, count(*e.Accepted),
			count(*e.Expected)))
	}
	s := facts.T("verdict.sentence", facts.Join("join.semicolon", parts...))
	if from := v.From(e); !from.IsZero() {
		s.Add(facts.T("join.sentences"), from)
	}
	return s
}

func (v Voice) pairs(p Pairs) facts.Text {
	return core.Things(len(p.Ratios), "sweepverdict.pairs")
}

// slowAlone is slow outside of a sentence, where Chinese needs no space on either side of p95.
func (v Voice) slowAlone() facts.Text {
	if v.Slow.ID == P95.ID || v.Slow.ID == P99.ID {
		return facts.Verbatim(v.Slow.ID)
	}
	return v.SlowName
}

// From says from which delay on the limit stops mattering to a caller. It is empty where the limit
// doesn't matter to it, or the sweep has one delay.
func (v Voice) From(e Effect) facts.Text {
	f := e.From
	switch {
	case f == nil || !e.Kind.Matters():
		return facts.Text{}
	case !f.Told:
		return facts.T("sweepverdict.too-few-pairs-tell")
	case f.DelayMS == nil:
		return facts.T("sweepverdict.matters-up-largest-measured", v.SlowName,
			count(f.Before.Above), count(len(f.Before.Ratios)))
	case len(f.Before.Ratios) == 0:
		return facts.T("sweepverdict.no-delay-stands-out", v.SlowName, count(f.After.Above), count(len(f.After.Ratios)), count(agree))
	}
	return facts.T("sweepverdict.delay-ms-limit-stops", count(*f.DelayMS), v.SlowName, count(f.Before.Above),
		count(len(f.Before.Ratios)), v.ratio(f.Before), count(f.After.Above), count(len(f.After.Ratios)), v.ratio(f.After))
}

// SlowCell is the ratio of the times behind both limits in a cell of a table.
func (v Voice) SlowCell(e Effect) facts.Text {
	if len(e.Slow.Ratios) == 0 {
		return facts.Verbatim(text.Unknown)
	}
	return facts.T("sweepverdict.slow-cell", v.slowAlone(), v.ratio(e.Slow), v.pairs(e.Slow))
}

// FailedCell is the share of failed requests behind the low limit.
func (v Voice) FailedCell(e Effect) facts.Text {
	if e.Attempts == 0 {
		return facts.Verbatim(text.Unknown)
	}
	return facts.T("sweepverdict.failed-cell", count(e.Failed), count(e.Attempts))
}

// FromCell is From in a cell of a table.
func (v Voice) FromCell(e Effect) facts.Text {
	f := e.From
	switch {
	case f == nil || !e.Kind.Matters() || !f.Told:
		return facts.Verbatim(text.Unknown)
	case f.DelayMS == nil:
		return facts.T("sweepverdict.not-up-largest-delay")
	case len(f.Before.Ratios) == 0:
		return facts.T("sweepverdict.no-delay")
	}
	return facts.Verbatim(count(*f.DelayMS) + " ms")
}

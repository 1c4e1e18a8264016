package sweepverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// kinds are the kinds in words.
var kinds = map[Kind]facts.Text{
	MakesErrors:  facts.T("sweepverdict.errors"),
	MakesLatency: facts.T("sweepverdict.latency"),
	MakesBoth:    facts.T("sweepverdict.errors-latency"),
	Hides:        facts.T("sweepverdict.hides"),
	Duplicates:   facts.T("sweepverdict.hides-duplicates"),
	NotReached:   facts.T("sweepverdict.limit-not-reached"),
	Untold:       facts.T("sweepverdict.cant-told"),
	NotMeasured:  facts.T("sweepverdict.not-measured"),
}

// Word is a kind for a table.
func (v Voice) Word(k Kind) facts.Text { return kinds[k] }

// Effect says what a caller makes of the limit, with its numbers.
func (v Voice) Effect(e Effect) facts.Text {
	low := v.Low()
	switch e.Kind {
	case NotMeasured:
		s := facts.T("sweepverdict.measured-no-place-behind", e.Name)
		if e.Faults > 0 {
			s.Add(facts.T("join.sentences"), facts.T("sweepverdict.trials-failed", count(e.Faults), count(e.Trials), v.Low()))
		}
		return s
	case NotReached:
		return facts.T("sweepverdict.no-connection-reached-limit", e.Name, low, count(e.Attempts))
	case Untold:
		if e.Slow.Told() {
			return facts.T("sweepverdict.whether-connection-reached-limit", e.Name, v.slow(), v.ratio(e.Slow), low, High)
		}
		return facts.T("sweepverdict.too-little-statement-over", e.Name,
			v.ratio(e.Slow), v.slow(), v.pairs(e.Slow), count(e.Failed), count(e.Attempts))
	}
	parts := []facts.Text{v.verb(e)}
	if e.Kind != MakesErrors || len(e.Slow.Ratios) > 0 {
		parts = append(parts, facts.T("sweepverdict.as-high-behind-as", v.slow(), v.ratio(e.Slow), low,
			High, v.pairs(e.Slow)))
	}
	if e.Failed > 0 || e.FailedHigh > 0 {
		parts = append(parts, facts.T("sweepverdict.requests-failed-behind-behind", count(e.Failed),
			count(e.Attempts), low, v.names(e.Errors, e.Failed), count(e.FailedHigh), count(e.AttemptsHigh), High))
	} else {
		parts = append(parts, facts.T("sweepverdict.no-request-failed"))
	}
	if e.Faults > 0 {
		parts = append(parts, v.faults(e))
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

func (v Voice) faults(e Effect) facts.Text {
	return facts.T("sweepverdict.trials-behind-service-or", count(e.Faults), count(e.Trials),
		v.Low())
}

func (v Voice) verb(e Effect) facts.Text {
	switch e.Kind {
	case MakesErrors:
		return facts.T("sweepverdict.turns-limit-into-errors", e.Name)
	case MakesLatency:
		return facts.T("sweepverdict.turns-limit-into-latency", e.Name)
	case MakesBoth:
		return facts.T("sweepverdict.turns-limit-into-errors-latency", e.Name)
	case Duplicates:
		return facts.T("sweepverdict.hides-limit-users-sends", e.Name)
	}
	return facts.T("sweepverdict.hides-limit-users", e.Name)
}

// slow names the measure that shows a renewal's cost.
func (v Voice) slow() facts.Text {
	switch v.Slow.ID {
	case P95.ID:
		return facts.T("sweepverdict.p95")
	case P99.ID:
		return facts.T("sweepverdict.p99")
	case Total.ID:
		return facts.T("sweepverdict.slow-total")
	}
	return facts.T("sweepverdict.slow-mean")
}

// slowAlone is slow outside of a sentence, where Chinese needs no space on either side of p95.
func (v Voice) slowAlone() facts.Text {
	if v.Slow.ID == P95.ID || v.Slow.ID == P99.ID {
		return facts.Verbatim(v.Slow.ID)
	}
	return v.slow()
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
		return facts.T("sweepverdict.matters-up-largest-measured", v.slow(),
			count(f.Before.Above), count(len(f.Before.Ratios)))
	case len(f.Before.Ratios) == 0:
		return facts.T("sweepverdict.no-delay-stands-out", v.slow(), count(f.After.Above), count(len(f.After.Ratios)), count(agree))
	}
	return facts.T("sweepverdict.delay-ms-limit-stops", count(*f.DelayMS), v.slow(), count(f.Before.Above),
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

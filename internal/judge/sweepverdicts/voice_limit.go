package sweepverdicts

import (
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// kinds are the kinds in words.
var kinds = map[Kind]translations.Phrase{
	MakesErrors:  "errors",
	MakesLatency: "latency",
	MakesBoth:    "errors and latency",
	Hides:        "hides it",
	Duplicates:   "hides it, with duplicates",
	NotReached:   "limit not reached",
	Untold:       "can't be told",
	NotMeasured:  "not measured",
}

// Word is a kind for a table.
func (v Voice) Word(k Kind) string { return v.say(kinds[k]) }

// Effect says what a caller makes of the limit, with its numbers.
func (v Voice) Effect(e Effect) string {
	low := v.Low()
	switch e.Kind {
	case NotMeasured:
		s := v.say("%s was measured at no place behind both limits.", e.Name)
		if e.Faults > 0 {
			s += v.say(" ") + v.say("%s.", text.Capital(v.faults(e)))
		}
		return s
	case NotReached:
		return v.say("No connection of %s reached the limit of %s: its %s requests were spread over too many connections for "+
			"the length of the windows. So the run shows nothing about its renewals.", e.Name, low, count(e.Attempts))
	case Untold:
		if e.Slow.Told() {
			return v.say("%s: whether a connection reached the limit is unknown; the %s is %s as high behind %s as behind %s.",
				e.Name, v.slow(), v.ratio(e.Slow), low, High)
		}
		return v.say("%s: %s of the %s is too little for a statement over %s; %s of %s requests failed.", e.Name,
			v.ratio(e.Slow), v.slow(), v.pairs(e.Slow), count(e.Failed), count(e.Attempts))
	}
	parts := []string{v.verb(e)}
	if e.Kind != MakesErrors || len(e.Slow.Ratios) > 0 {
		parts = append(parts, v.say("the %s is %s as high behind %s as behind %s (%s)", v.slow(), v.ratio(e.Slow), low,
			High, v.pairs(e.Slow)))
	}
	if e.Failed > 0 || e.FailedHigh > 0 {
		parts = append(parts, v.say("%s of %s requests failed behind %s%s, %s of %s behind %s", count(e.Failed),
			count(e.Attempts), low, v.names(e.Errors, e.Failed), count(e.FailedHigh), count(e.AttemptsHigh), High))
	} else {
		parts = append(parts, v.say("no request failed"))
	}
	if e.Faults > 0 {
		parts = append(parts, v.faults(e))
	}
	if e.Duplicates != nil && *e.Duplicates > 0 {
		parts = append(parts, v.say("the backend executed %s requests more than once", count(*e.Duplicates)))
	}
	if e.Accepted != nil && e.Expected != nil {
		parts = append(parts, v.say("%s accepted %s connections where %s were expected", low, count(*e.Accepted),
			count(*e.Expected)))
	}
	s := v.say("%s.", strings.Join(parts, v.say("; ")))
	if from := v.From(e); from != "" {
		s += v.say(" ") + from
	}
	return s
}

func (v Voice) pairs(p Pairs) string {
	return core.Things(v.In, float64(len(p.Ratios)), core.Noun{One: "%s pair", Many: "%s pairs"})
}

func (v Voice) faults(e Effect) string {
	return v.say("in %s of %s trials behind %s the service or its load generator failed", count(e.Faults), count(e.Trials),
		v.Low())
}

func (v Voice) verb(e Effect) string {
	switch e.Kind {
	case MakesErrors:
		return v.say("%s turns the limit into errors", e.Name)
	case MakesLatency:
		return v.say("%s turns the limit into latency", e.Name)
	case MakesBoth:
		return v.say("%s turns the limit into errors and latency", e.Name)
	case Duplicates:
		return v.say("%s hides the limit from its users, and sends requests twice", e.Name)
	}
	return v.say("%s hides the limit from its users", e.Name)
}

// slow names the measure that shows a renewal's cost.
func (v Voice) slow() string {
	switch v.Slow.ID {
	case P95.ID:
		return v.say("p95")
	case P99.ID:
		return v.say("p99")
	case Total.ID:
		return v.say("time until all are answered")
	}
	return v.say("mean time")
}

// From says from which delay on the limit stops mattering to a caller. It is empty where the limit
// doesn't matter to it, or the sweep has one delay.
func (v Voice) From(e Effect) string {
	f := e.From
	switch {
	case f == nil || !e.Kind.Matters():
		return ""
	case !f.Told:
		return v.say("There are too few pairs to tell from which delay on the limit stops mattering.")
	case f.DelayMS == nil:
		return v.say("It matters up to the largest measured delay: the %s was higher in %s of %s pairs.", v.slow(),
			count(f.Before.Above), count(len(f.Before.Ratios)))
	case len(f.Before.Ratios) == 0:
		return v.say("No delay stands out: the %s was higher in %s of %s pairs, and in no %s neighbouring ones together.",
			v.slow(), count(f.After.Above), count(len(f.After.Ratios)), count(agree))
	}
	return v.say("From a delay of %s ms on the limit stops mattering: below, the %s was higher in %s of %s pairs (median "+
		"%s), from there on in %s of %s (median %s).", count(*f.DelayMS), v.slow(), count(f.Before.Above),
		count(len(f.Before.Ratios)), v.ratio(f.Before), count(f.After.Above), count(len(f.After.Ratios)), v.ratio(f.After))
}

// SlowCell is the ratio of the times behind both limits in a cell of a table.
func (v Voice) SlowCell(e Effect) string {
	if len(e.Slow.Ratios) == 0 {
		return text.Unknown
	}
	return v.say("%s: %s (%s)", strings.TrimSpace(v.slow()), v.ratio(e.Slow), v.pairs(e.Slow))
}

// FailedCell is the share of failed requests behind the low limit.
func (v Voice) FailedCell(e Effect) string {
	if e.Attempts == 0 {
		return text.Unknown
	}
	return v.say("%s of %s", count(e.Failed), count(e.Attempts))
}

// FromCell is From in a cell of a table.
func (v Voice) FromCell(e Effect) string {
	f := e.From
	switch {
	case f == nil || !e.Kind.Matters() || !f.Told:
		return text.Unknown
	case f.DelayMS == nil:
		return v.say("not up to the largest delay")
	case len(f.Before.Ratios) == 0:
		return v.say("no delay stands out")
	}
	return count(*f.DelayMS) + " ms"
}

package sweepverdicts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Kind is what a caller makes of the limit.
type Kind string

// The kinds. A caller may make it both, latency and errors.
const (
	MakesErrors  Kind = "errors"
	MakesLatency Kind = "latency"
	MakesBoth    Kind = "errors-and-latency"
	Hides        Kind = "hides"
	Duplicates   Kind = "duplicates"
	NotReached   Kind = "not-reached"
	Untold       Kind = "untold"
	NotMeasured  Kind = "not-measured"
)

// Effect compares one caller behind the low limit with itself behind the high one.
type Effect struct {
	Line
	Name string
	Kind Kind
	// Slow and Goodput are ratios low ÷ high over all places that have both.
	Slow, Goodput Pairs
	// Totals has the trials behind the low limit, Above those behind the high one; Errors names the failures of the former.
	core.Totals
	Above  core.Totals
	Errors []Named
	// From says from which delay on Slow is no longer higher in neighbouring pairs; nil where the
	// sweep has one delay.
	From *From
	// Faults are the trials behind the low limit, of Planned, in which the service or its load
	// generator failed.
	Faults, Planned int
	// Low and High are the compared cells.
	Low, High []*facts.Cell
}

// Effects compares every caller of the low limit's topology, in the order of the run.
func (t Table) Effects() (out []Effect) {
	for _, l := range t.Lines(t.Low()) {
		out = append(out, t.effect(l))
	}
	return out
}

func (t Table) effect(l Line) Effect {
	e := Effect{Line: l, Name: t.Name(t.Low(), l)}
	byDelay := map[int]Pairs{}
	for _, p := range t.Places(t.Low()) {
		a, b := t.Measured(t.Low(), l, p), t.Measured(High, l, p)
		if a != nil {
			e.Faults, e.Planned = e.Faults+Faults(a), e.Planned+len(a.Trials)
		}
		if !hasNumbers(a) || !hasNumbers(b) {
			continue
		}
		e.Low, e.High = append(e.Low, a), append(e.High, b)
		at := byDelay[p.DelayMS]
		at.Ratios = append(at.Ratios, ratios(t.Slow, a, b)...)
		byDelay[p.DelayMS] = at
	}
	e.Slow, e.Goodput = pairsOf(t.Slow, e.Low, e.High), pairsOf(Goodput, e.Low, e.High)
	e.Totals, e.Above, e.Errors = core.Total(trialsOf(e.Low)), core.Total(trialsOf(e.High)), Errors(e.Low...)
	e.Kind = e.kind()
	if delays := keys(byDelay); len(delays) > 1 {
		f := split(delays, byDelay)
		e.From = &f
	}
	return e
}

// hasNumbers reports whether a trial of a cell was a measurement.
func hasNumbers(c *facts.Cell) bool { return c != nil && Faults(c) < len(c.Trials) }

// ownShare is how many times as often as behind the high limit a failure must happen before it is
// attributed to the low one, as for the client matrix (package clientverdicts).
const ownShare = 2

// failsMore reports whether the low limit brings failures that the high one doesn't.
func (e Effect) failsMore() bool {
	own := 0.0
	if e.Above.Attempts > 0 {
		own = ownShare * float64(e.Above.Failed) * float64(e.Attempts) / float64(e.Above.Attempts)
	}
	return float64(e.Failed) > own
}

func (e Effect) kind() Kind {
	switch {
	case len(e.Low) == 0:
		return NotMeasured
	case e.Renewals != nil && *e.Renewals == 0:
		return NotReached
	case e.failsMore() && e.Slow.Higher():
		return MakesBoth
	case e.failsMore():
		return MakesErrors
	case e.Slow.Higher():
		return MakesLatency
	case !e.Slow.Told(), e.Renewals == nil:
		return Untold
	case e.Duplicates != nil && *e.Duplicates > 0:
		return Duplicates
	}
	return Hides
}

// Matters reports whether the limit costs the caller's users something.
func (k Kind) Matters() bool { return k == MakesErrors || k == MakesLatency || k == MakesBoth }

// trialsOf are the trials of cells that were measurements.
func trialsOf(cells []*facts.Cell) (out []facts.Trial) {
	for _, c := range cells {
		out = append(out, slices.DeleteFunc(slices.Clone(c.Trials), func(t facts.Trial) bool { return t.Fault != nil })...)
	}
	return out
}

// Named is how often an error occurred.
type Named struct {
	Name  string
	Count int64
	// Message is the first verbatim message.
	Message string
}

// thrown matches the class of an exception. The last one in a message is its cause.
var thrown = regexp.MustCompile(`[\w.$]*\b[A-Z]\w*(?:Exception|Error)\b`)

// unsaid are the characters that a name in a sentence doesn't have: those with a meaning in Markdown
// among them.
var unsaid = regexp.MustCompile(`[^\w.:/()-]+`)

// mostWords is how many words of a message name it.
const mostWords = 6

// nameOf is the simple name of the exception at the end of a message, or the message's first words.
func nameOf(message string) string {
	all := thrown.FindAllString(message, -1)
	if len(all) > 0 {
		name := all[len(all)-1]
		return name[strings.LastIndexAny(name, ".$")+1:]
	}
	return strings.Join(firstOf(strings.Fields(unsaid.ReplaceAllString(message, " ")), mostWords), " ")
}

func firstOf[T any](all []T, n int) []T { return all[:min(n, len(all))] }

// Errors names the failures of cells, the most frequent first. The service's own messages name the
// exception; where its view has none, the users' messages count.
func Errors(cells ...*facts.Cell) (out []Named) {
	add := func(e facts.Error) {
		name := cmp.Or(nameOf(e.Message), e.Class)
		i := slices.IndexFunc(out, func(n Named) bool { return n.Name == name })
		if i < 0 {
			i, out = len(out), append(out, Named{Name: name, Message: e.Message})
		}
		out[i].Count += e.Count
	}
	for _, c := range cells {
		if c == nil {
			continue
		}
		for _, t := range c.Trials {
			errs := t.Errors
			if t.Service != nil && len(t.Service.Errors) > 0 {
				errs = t.Service.Errors
			}
			for _, e := range errs {
				add(e)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Named) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// Faults counts the trials of a cell in which the service or its load generator failed.
func Faults(c *facts.Cell) (n int) {
	if c == nil {
		return 0
	}
	for _, t := range c.Trials {
		if t.Fault != nil {
			n++
		}
	}
	return n
}

// Failures are the failed and all requests of the users of some cells.
func Failures(cells ...*facts.Cell) (failed, attempts int64) {
	for _, c := range cells {
		if c == nil {
			continue
		}
		for _, t := range c.Trials {
			failed, attempts = failed+t.Failed, attempts+t.Attempts
		}
	}
	return failed, attempts
}

package sweepverdicts

import (
	"maps"
	"slices"

	"h2lab/internal/facts"
)

func keys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// blocking and reactive are the callers that the published comparisons set against each other, the
// first of a list that the run has.
var (
	blocking = []facts.Client{"resttemplate-apache", "resttemplate-pool"}
	reactive = []facts.Client{"webclient-h1", "webclient-h2"}
)

// Crossing says up to which delay one caller is ahead of another.
type Crossing struct {
	A, B Line
	From // of the ratios A ÷ B
}

// Cross compares the throughput of the blocking and of the reactive caller by delay, without a
// proxy; nil where the run doesn't have both.
func (t Table) Cross() *Crossing {
	a, b := t.first(blocking), t.first(reactive)
	if a == nil || b == nil {
		return nil
	}
	at := map[int]Pairs{}
	for _, p := range t.Places(Direct) {
		if r := ratios(Goodput, t.Measured(Direct, *a, p), t.Measured(Direct, *b, p)); len(r) > 0 {
			at[p.DelayMS] = Pairs{Ratios: append(at[p.DelayMS].Ratios, r...)}
		}
	}
	if len(at) == 0 {
		return nil
	}
	return &Crossing{A: *a, B: *b, From: split(keys(at), at)}
}

// first is the first of some clients that the sweep has without a proxy.
func (t Table) first(of []facts.Client) *Line {
	lines := t.Lines(Direct)
	for _, c := range of {
		if i := slices.IndexFunc(lines, func(l Line) bool { return l.Client == c && !l.Bare }); i >= 0 {
			return &lines[i]
		}
	}
	return nil
}

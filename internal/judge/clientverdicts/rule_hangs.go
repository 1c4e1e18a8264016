package clientverdicts

import "h2lab/internal/facts"

// hungPerRenewal and hungPer1000 are lower than the thresholds of lost requests: a call counts as
// hung if it has no answer after several seconds, while an answer takes milliseconds. A machine
// that stalls for that long hangs all calls, with and without the limit; a single hung call is the
// client's fault.
const (
	hungPerRenewal = 0.02
	hungPer1000    = 0.05
	fewestHung     = 1
)

func hangs(f cellFacts) finding {
	if a := f.faulty("its program never ended", facts.FaultSilent); a.holds {
		return a
	}
	hung := func(b *Figures) int64 { return value(b.Hung) }
	n := hung(&f.Figures)
	if n == 0 {
		return finding{}
	}
	extra, threshold := float64(f.beyond(n, hung)), f.from(hungPerRenewal, hungPer1000, fewestHung)
	words := f.say("%s never settled (%s in 1,000)", f.things(n, calls), f.rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	if extra > threshold/2 && extra < threshold*2 || a.holds && extra < FewestSure {
		a.near = f.say("only %s: another run may have none", f.things(n, hungCalls))
	}
	switch {
	case a.holds:
		a.reason = words
	case extra == 0:
		a.own = true
		a.note = f.say("%s never settled; as many never settle at %s, so the limit is not the cause",
			f.things(n, calls), f.high)
	default:
		a.doubt = f.say("%s: a longer run would show whether the limit is the cause", words)
		a.lower = true
	}
	return a
}

package clientverdicts

import "fmt"

// fewestLost and lostPerRenewal are from where on failures are the limit's
// doing. Clients that can't replay a request were measured to lose ten to forty
// of a hundred in flight at every renewal, and those that give up for good lose
// all that follow; sound ones lose none. One in ten renewals lies two orders
// below, and three is more than a machine's hiccup breaks.
const (
	fewestLost     = 3
	lostPerRenewal = 0.1
)

// loses counts the failed that did settle; those that didn't are the business
// of hangs.
func loses(f cellFacts) finding {
	lost := func(b *Figures) int64 { return max(0, b.Failed-value(b.Hung)) }
	n := lost(&f.Figures)
	if n == 0 {
		return finding{}
	}
	extra := float64(f.beyond(n, lost))
	threshold := max(fewestLost, lostPerRenewal*float64(value(f.Needed)))
	words := fmt.Sprintf("%s failed (%s in 1,000)", things(n, "request"), rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	if extra > threshold/2 && extra < threshold*2 {
		a.near = fmt.Sprintf("%s failed, and from %.0f on it counts as losing", things(n, "request"), threshold)
	}
	switch {
	case a.holds:
		a.reason = words + f.renewalsOf(n) + f.whatBecame()
	case extra == 0:
		a.own = true
		a.note = fmt.Sprintf("%s; as many fail at %s, so it is not the limit's doing", words, f.high)
	default:
		a.note = words + ", too few to be laid at the limit's door"
	}
	return a
}

// renewalsOf puts a number in relation to the renewals.
func (f cellFacts) renewalsOf(n int64) string {
	r := value(f.Needed)
	if r < 1 || f.UsedUp == nil || *f.UsedUp < r/2 { // the client didn't come as far as its attempts suggest
		return ""
	}
	return fmt.Sprintf(", %.1f at each of %s", float64(n)/float64(r), things(r, "renewal"))
}

// whatBecame says whether the failed were executed, where the backend knows.
func (f cellFacts) whatBecame() string {
	if f.Unanswered == nil {
		return ""
	}
	switch n := *f.Unanswered - max(0, value(f.Duplicates)); {
	case n <= 0:
		return "; the backend executed none of them"
	case n >= f.Failed:
		return "; the backend had executed all of them"
	default:
		return fmt.Sprintf("; the backend had executed %s of them without an answer getting through", count(n))
	}
}

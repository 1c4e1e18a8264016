package clientverdicts

import (
	"math"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// fewestLies is 1: the counters are read while the client sends nothing, so even one success more
// than the backend executed is false.
const fewestLies = 1

// lies holds if the client reports more successes than the backend executed.
func lies(f cellFacts) finding {
	if f.Executed == nil || f.Succeeded-*f.Executed < fewestLies {
		return finding{}
	}
	return finding{holds: true, reason: facts.T("clientverdict.reports-but-backend-executed", core.Things(f.Succeeded,
		successful), core.Things(*f.Executed, core.Requests), count(f.Succeeded-*f.Executed))}
}

// crashes holds if the program died in at least one trial: a slow machine doesn't kill a process.
func crashes(f cellFacts) finding {
	return f.faulty(facts.T("clientverdict.program-ended-middle-trial"), facts.FaultCrashed, facts.FaultGarbled)
}

// faulty looks for faults of some kinds, in this cell and without the limit.
func (f cellFacts) faulty(what facts.Text, kinds ...string) finding {
	n, message := faults(f.Faults, kinds)
	if n == 0 {
		return finding{}
	}
	a := finding{holds: true, reason: what}
	if all := f.Trials + len(f.Faults); all > 1 {
		a.reason.Add(facts.T("clientverdict.trials", count(n), count(all)))
	}
	if message != "" {
		a.reason.Add(facts.T("verdict.because", message))
	}
	if f.base != nil {
		if n, _ := faults(f.base.Faults, kinds); n > 0 {
			a.own = true
			a.reason.Add(facts.T("clientverdict.does-so-as-well", f.high))
		}
	}
	return a
}

func faults(in []facts.Fault, kinds []string) (n int, message string) {
	for _, fault := range in {
		for _, k := range kinds {
			if fault.Kind != k {
				continue
			}
			if n == 0 {
				message = oneLine(fault.Message)
			}
			n++
		}
	}
	return n, message
}

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
	if a := f.faulty(facts.T("clientverdict.program-never-ended"), facts.FaultSilent); a.holds {
		return a
	}
	hung := func(b *Figures) int64 { return value(b.Hung) }
	n := hung(&f.Figures)
	if n == 0 {
		return finding{}
	}
	extra, threshold := float64(f.beyond(n, hung)), f.from(hungPerRenewal, hungPer1000, fewestHung)
	words := facts.T("clientverdict.never-settled-1-000", core.Things(n, calls), f.rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	if extra > threshold/2 && extra < threshold*2 || a.holds && extra < FewestSure {
		a.near = facts.T("clientverdict.only-another-run-may", core.Things(n, hungCalls))
	}
	switch {
	case a.holds:
		a.reason = words
	case extra == 0:
		a.own = true
		a.note = facts.T("clientverdict.never-settled-as-many", core.Things(n, calls), f.high)
	default:
		a.doubt = facts.T("clientverdict.longer-run-would-show", words)
		a.lower = true
	}
	return a
}

// fewestDuplicates is 1: every call has a unique id, and the backend counts repeated ids. A
// repeated id means that the client sent the request again; the count has no noise.
const fewestDuplicates = 1

func duplicates(f cellFacts) finding {
	n := value(f.Duplicates)
	if n <= 0 {
		return finding{}
	}
	extra := f.beyond(n, func(b *Figures) int64 { return max(0, value(b.Duplicates)) })
	if extra < fewestDuplicates {
		return finding{own: true, note: facts.T("clientverdict.ran-twice-as-many", core.Things(n, core.Requests), f.high)}
	}
	a := finding{holds: true, reason: facts.T("clientverdict.backend-executed-second-time", core.Things(n, core.Requests),
		f.rate(n, f.Attempts))}
	if extra < FewestSure {
		a.near = facts.T("clientverdict.only-another-run-may", core.Things(n, doubles))
	}
	return a
}

// lostPerRenewal and lostPer1000 are the rates from which failures are attributed to the limit;
// reaching one of them is enough. Clients that can't replay a request were measured to lose 1 to 40
// of 100 requests in flight at every renewal. Clients that never recover lose all later requests,
// so the run has few or no renewals. Sound clients lose none. Between none and these thresholds the
// rule gives no verdict.
//
// A single failure is never enough: a short stall of the machine can fail one request.
const (
	lostPerRenewal = 0.1
	lostPer1000    = 1
	fewestLost     = 2
)

// from returns the number of events that reaches the rate: per renewal or per 1,000 requests,
// whichever is less, but at least fewest.
func (f cellFacts) from(perRenewal, per1000, fewest float64) float64 {
	least := per1000 * float64(f.Attempts) / 1000
	if f.Due() > 0 {
		least = min(least, perRenewal*float64(f.Due()))
	}
	return max(fewest, least)
}

// loses counts the failed requests that settled; hangs counts the others.
func loses(f cellFacts) finding {
	lost := func(b *Figures) int64 { return max(0, b.Failed-value(b.Hung)) }
	n := lost(&f.Figures)
	if n == 0 {
		return finding{}
	}
	extra, threshold := float64(f.beyond(n, lost)), f.from(lostPerRenewal, lostPer1000, fewestLost)
	words := facts.T("clientverdict.failed-1-000", core.Things(n, core.Requests), f.rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	switch {
	case extra > threshold/2 && extra < threshold*2:
		a.near = facts.T("clientverdict.failed-counts-as-losing", core.Things(n, core.Requests),
			core.Fixed(math.Ceil(threshold), 0))
	case a.holds && extra < FewestSure:
		a.near = facts.T("clientverdict.only-another-run-may", core.Things(n, lostOnes))
	}
	switch {
	case a.holds:
		a.reason = facts.Join("", words, f.renewalsOf(n), f.whatBecame())
	case extra == 0:
		a.own = true
		a.note = facts.T("clientverdict.as-many-fail-so", words, f.high)
	default:
		a.doubt = facts.T("clientverdict.fewer-than-one-ten", words)
		a.lower = true
	}
	return a
}

// renewalsOf relates a number to the renewals.
func (f cellFacts) renewalsOf(n int64) facts.Text {
	r := f.Due()
	if f.Renewals == nil || r < 1 {
		return facts.Text{}
	}
	return facts.T("clientverdict.each", core.Fixed(float64(n)/float64(r), 1), core.Things(r, core.Renewals))
}

// whatBecame says whether the failed requests were executed, if the backend counted that.
func (f cellFacts) whatBecame() facts.Text {
	if f.Unanswered == nil {
		return facts.Text{}
	}
	switch n := *f.Unanswered - max(0, value(f.Duplicates)); {
	case n <= 0:
		return facts.T("clientverdict.backend-executed-none-them")
	case n >= f.Failed:
		return facts.T("clientverdict.backend-executed-all-them")
	default:
		return facts.T("clientverdict.backend-executed-them-but", count(n))
	}
}

// stampedeFactor separates a stampede from normal renewal: a client stampedes if it opens more than
// three connections per renewal.
//
// A client that dials once per renewal has 1, one that dials twice has 2. The mildest stampede
// measured, with 10 requests in flight, has 9; with 100 requests in flight it is 20 or more. edges
// is the number of renewals at the two ends of a window whose dials may fall into the window
// without the renewal: one that began in the warm-up and one between two readings.
const (
	stampedeFactor = 3
	edges          = 2
)

// stampedes compares the opened connections with what the same client opens without the limit, since a
// pool that closes idle connections opens new ones there as well.
//
// A client may open one connection per request in flight once, and then spread its requests over
// them. Only many renewals distinguish that from a stampede, so between the two thresholds the rule
// gives no verdict.
func stampedes(f cellFacts) finding {
	due := f.Due()
	if f.Accepted == nil || f.Filled == nil || due == 0 {
		return finding{}
	}
	opened, extra := *f.Accepted, *f.Accepted-f.ownConnections()
	usual := stampedeFactor * (due + edges*int64(max(f.Trials, 1)))
	threshold := usual + f.sharedOut()
	a := finding{holds: extra > threshold}
	if extra*3 > threshold*2 && extra*2 < threshold*3 {
		a.near = facts.T("clientverdict.opened-counts-as-stampede", core.Things(extra, core.Connections), count(threshold+1))
	}
	switch {
	case a.holds:
		a.reason = f.stampede()
	case extra > usual && f.protocol != facts.H1:
		a.doubt = facts.T("clientverdict.opened-either-pool-spread", core.Things(opened, core.Connections),
			core.Things(due, core.Renewals))
		a.lower = true
	case f.ownHides():
		a.own = true
		a.doubt = facts.T("clientverdict.opened-opened-already-own", core.Things(opened, core.Connections),
			core.Things(f.Succeeded, core.Requests), count(value(f.base.Accepted)), f.high)
	case opened > threshold:
		a.own = true
		a.note = facts.T("clientverdict.opened-opens-as-many", core.Things(opened, core.Connections), core.Things(due,
			core.Renewals), f.high)
	}
	return a
}

// hidingFactor limits the connections that a client may open without the limit for each connection
// that its requests fill. Above it a stampede can't be told from the client's own dials. Clients
// that renew early on purpose have up to 5; nginx as a client, which keeps fewer connections than
// it has requests in flight, has 150.
const hidingFactor = 10

func (f cellFacts) ownHides() bool {
	fills := max(value(f.UsedUp), value(f.Filled)) + edges*int64(max(f.Trials, 1))
	return min(*f.Accepted, f.ownConnections()/ownShare) > hidingFactor*fills+f.sharedOut()
}

// stampede is the reason as text.
func (f cellFacts) stampede() facts.Text {
	s := facts.T("clientverdict.opened", core.Things(*f.Accepted, core.Connections), core.Things(f.Due(), core.Renewals))
	if r := f.PerRenewal(); r != nil {
		s.Add(facts.T("sweepverdict.in-brackets", times(*r)))
	}
	if f.Used != nil {
		s.Add(facts.T("clientverdict.them-used", count(*f.Used)))
	}
	return s
}

// h1Lanes is how many connections per request in flight a client may open over HTTP/1.1. There a
// client renews one connection at a time and no request waits for it, so the limit causes no
// stampede. Go's pool was measured to open 442 connections for 100 requests in flight on an
// overloaded machine, without reaching a limit.
const h1Lanes = 5

// usedShare is the share of accepted connections from which they count as used. In a stampede all
// but one connection per renewal are wasted: 2 % to 15 % were used.
const usedShare = 0.9

// sharedOut is the number of extra connections that the client may open to spread its requests: one
// per request in flight, if it uses them.
func (f cellFacts) sharedOut() int64 {
	lanes := int64(f.inFlight) * int64(max(f.Trials, 1))
	switch {
	case f.protocol == facts.H1:
		return h1Lanes * lanes
	case f.Used != nil && float64(*f.Used) >= usedShare*float64(value(f.Accepted)):
		return lanes
	}
	return 0
}

// ownConnections is the number of connections that the client may open for this many requests
// without the limit: the number measured there, or its share by requests if that is more, times
// ownShare. The share alone would be too low, since the connections opened at the start of a window
// don't grow with the requests.
func (f cellFacts) ownConnections() int64 {
	if f.base == nil || f.base.Attempts == 0 {
		return 0
	}
	own := float64(value(f.base.Accepted))
	return int64(ownShare * max(own, own*float64(f.Attempts)/float64(f.base.Attempts)))
}

// FewestSure is how many events of a fault in one run another run can't miss by chance: where as many are
// expected, none are seen with a probability of e^-7, which is below 0.001 (Poisson).
const FewestSure = 7

// FewestRenewals is the fewest renewals without a fault that make a client sound. Clients with a
// fault were measured to fail at every renewal; five also suffice for one that fails at every
// second.
const FewestRenewals = 5

// mostOwnFailures is the share of requests that may fail without the limit. Above 1 % the program's
// own failures hide what the limit adds.
const mostOwnFailures = 0.01

// inconclusive decides, if no rule found a fault, whether the evidence suffices to call the client
// sound. doubts are the findings that have a doubt.
func inconclusive(f cellFacts, doubts []finding) finding {
	switch {
	case f.Trials == 0:
		return finding{holds: true, reason: f.noFigures()}
	case f.base != nil && float64(f.base.Failed) > mostOwnFailures*float64(f.base.Attempts):
		return finding{holds: true, own: true,
			reason: facts.T("clientverdict.fail-already-own-failures", count(f.base.Failed), core.Things(f.base.Attempts,
				core.Requests), f.high)}
	case f.limit == 0:
		return finding{holds: true, reason: facts.T("clientverdict.limit-front-isnt-known")}
	case f.Renewals == nil || f.Accepted == nil:
		return finding{holds: true, reason: facts.T("clientverdict.neither-renewals-nor-connections")}
	case *f.Renewals < FewestRenewals:
		return f.tooFew()
	case len(doubts) > 0:
		a := finding{holds: true, reason: doubts[0].doubt}
		for _, d := range doubts {
			a.lower = a.lower || d.lower
		}
		return a
	}
	if *f.Renewals < 2*FewestRenewals && !f.Counted {
		return finding{near: facts.T("clientverdict.only-another-run-may-too", core.Things(*f.Renewals, core.Renewals))}
	}
	return finding{}
}

// tooFew names the missing fact.
func (f cellFacts) tooFew() finding {
	served := f.Succeeded + value(f.Warmup)
	words := facts.T("clientverdict.window-must-seen", core.Things(*f.Renewals, core.Renewals), FewestRenewals,
		core.Things(served, answered))
	if served < FewestRenewals*f.limit {
		words.Add(facts.T("clientverdict.too-few-use-up", FewestRenewals, count(f.limit)))
	} else {
		words.Add(facts.T("clientverdict.spread-over-so-many"))
	}
	lower := lowerLimit(f.limit)
	if f.own { // its code counts on a higher limit than that
		return finding{holds: true, reason: facts.Join("", words, facts.T("clientverdict.measure-again-duration-30s"))}
	}
	return finding{holds: true, lower: true, reason: facts.Join("", words, facts.T("clientverdict.measure-again-limit", int(lower)))}
}

// noFigures says why the cell has no figures.
func (f cellFacts) noFigures() facts.Text {
	if n, message := faults(f.Faults, []string{facts.FaultNotStarted}); n > 0 {
		return facts.T("clientverdict.program-did-not-start", message)
	}
	return facts.T("clientverdict.no-trial-figures")
}

// lowerLimit is the limit to try next: 100, or a tenth of a limit that is already that low.
func lowerLimit(limit int64) int64 {
	if limit > LowerLimit {
		return LowerLimit
	}
	return max(2, limit/10)
}

// starved says why a cell proves nothing, or returns "": the client's machine ran out of files,
// ports, threads or memory in this cell or in the cell at the high limit.
func (f cellFacts) starved() facts.Text {
	for _, x := range []*Figures{&f.Figures, f.base} {
		if x == nil {
			continue
		}
		if n := facts.Starved(x.Errors); n > 0 {
			return facts.T("clientverdict.failed-because-clients-own", core.Things(n, core.Requests))
		}
		if n, message := faults(x.Faults, []string{facts.FaultStarved}); n > 0 {
			return facts.T("clientverdict.machine-no-file-port", message)
		}
	}
	return facts.Text{}
}

// What the reasons count, beside the nouns of package core.
const (
	calls      = "clientverdict.calls"
	hungCalls  = "clientverdict.hung-calls"
	lostOnes   = "clientverdict.failed-requests"
	doubles    = "clientverdict.duplicates"
	answered   = "clientverdict.answered-requests"
	successful = "clientverdict.successes"
)

// count writes a whole number with commas.
func count[T int | int64](v T) string { return text.Count(v) }

// times writes a factor, "74 ×" or "0.9 ×".
func times(v float64) string { return text.Factor(v) }

// rate writes n of 1,000.
func (f cellFacts) rate(n, of int64) facts.Text {
	if of == 0 {
		return facts.T("clientverdict.none-of-none")
	}
	v := float64(n) / float64(of) * 1000
	switch {
	case v >= 100:
		return facts.Verbatim(text.Whole(v))
	case v >= 0.095:
		return facts.Verbatim(text.Decimals(v, 1))
	}
	return facts.Verbatim(text.Digits(v, 2))
}

// oneLine shortens a message for use in a sentence: its first line, cut. It replaces backticks,
// which would pair with those of the sentence.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(strings.ReplaceAll(s, "`", "'")), "\n")
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return string(r)
}

// value returns the number, or 0 if it is unknown. Use it only in sums in which an unknown number
// doesn't matter.
func value(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}

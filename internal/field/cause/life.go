package cause

import (
	"math"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// life is one connection's evidence.
type life struct {
	ended, failed bool
	// The end came at a request between least and most. Of a connection that was not ended both
	// are the answers that it got.
	least, most int
	// named is the request that a GOAWAY named as the last one; 0 means none.
	named int
	// unanswered reports whether the only request in flight at the end got no answer.
	unanswered bool
	// got are the answers that had come when the end was announced.
	got int
	// light is a connection in light use: several of these get as many requests in one time.
	light bool
	// first and last are when it was in use, in seconds of the survey.
	first, last float64
	seconds     float64 // from the TLS handshake to the announcement, or until the probe left
	// unused is how long it was unused when it ended, in seconds, paused the longest such time that it outlived.
	unused, paused float64
}

// CalledUnused reports whether a GOAWAY says that the connection was unused (gRPC's "max_idle", Jetty's "idle_timeout"): the
// server counts none of the probe's requests as use, so their number and the connection's age tell nothing.
func CalledUnused(a facts.AskedConnection) bool {
	says := func(g facts.GoawayFrame) bool { return strings.Contains(strings.ToLower(g.Debug), "idle") }
	return slices.ContainsFunc(a.Goaways, says)
}

// exact reports whether the end is known to have come at request n.
func (l life) exact(n int) bool { return l.least == n && l.most == n || l.named == n }

// inFlight is how many requests the probe has in flight at once, at most.
const inFlight = 100

func (l life) end() End {
	return End{Least: max(l.least, l.got, l.named), Requests: l.most, Seconds: l.seconds, Error: l.failed}
}

func lifeOf(a facts.AskedConnection) life {
	l := life{light: a.For == facts.ForPace, ended: a.How != "", failed: a.How == facts.EndedByError,
		least: a.Answered, most: a.Answered,
		got: a.Answered}
	at := a.OpenedMS
	for _, ms := range []*float64{a.AnnouncedMS, a.EndedMS, a.LeftMS} {
		if ms != nil {
			at = *ms
			break
		}
	}
	l.seconds, l.first, l.last = max(0, at-a.OpenedMS)/1000, a.OpenedMS/1000, at/1000
	if l.paused = a.PausedMS / 1000; a.UnusedMS != nil {
		l.unused = *a.UnusedMS / 1000
	}
	l.unanswered = l.ended && a.MayHaveRun == 1 && a.Requests-a.Answered == 1
	switch {
	case !l.ended:
	case len(a.Goaways) > 0:
		l.byGoaway(a)
	case a.How != facts.EndedByConnectionClose:
		l.byClose(a)
	}
	return l
}

// Settled is how many requests must have gone one at a time before a GOAWAY names its request. Before
// them the server may have met its limit in a burst, and said so after it had answered more.
const Settled = 3

// soonS is the longest time, in seconds, between a limit and the GOAWAY.
const soonS = 0.2

// byGoaway bounds the request at which a GOAWAY came. With one request in flight for some time it is that
// request. With many it lies before those that had been sent: a server that announces the end from another
// task (Rust's hyper, Armeria) has answered as many as were in flight meanwhile. An id of a stream that was
// sent bounds it further, since the server had not seen a later one.
func (l *life) byGoaway(a facts.AskedConnection) {
	g := a.Goaways[0]
	l.got, l.most = g.Answered, g.Sent
	if g.LastStreamID == 0 && g.Answered == 0 && a.Answered == 0 { // it came before the first request was read
		l.least, l.most = 0, 0
		return
	}
	if g.Sent-g.Answered <= 1 {
		if l.least = g.Sent; a.Together > 0 && g.Sent < a.Together+Settled {
			l.least = max(1, a.Together-inFlight)
		}
		return
	}
	meanwhile := inFlight
	if l.seconds > 0 {
		meanwhile = min(inFlight, int(soonS*float64(g.Answered)/l.seconds))
	}
	l.least = max(min(1, g.Answered), g.Answered-meanwhile)
	if named := (int(g.LastStreamID) + 1) / 2; named > 0 && named < g.Sent {
		l.most, l.named = named, named
		l.least = min(l.least, named)
	}
}

// byClose bounds the request at which a connection was closed without a GOAWAY.
func (l *life) byClose(a facts.AskedConnection) {
	l.most = a.Requests
	if a.ClosedUnder {
		l.least = a.Requests
	}
}

// commonCount is the request at which all connections may have ended, and whether there is one.
func commonCount(ended, open []life) (n int, ok bool) {
	least, most, named := 1, math.MaxInt, 0
	for _, l := range ended {
		least, most, named = max(least, l.least), min(most, l.most), max(named, l.named)
	}
	if least > most || slices.ContainsFunc(open, func(l life) bool { return l.most > most }) {
		return 0, false
	}
	if named == most {
		return most, true
	}
	return least, true
}

// agreeing counts the connections that ended at exactly request n.
func agreeing(ended []life, n int) int {
	agree := 0
	for _, l := range ended {
		if l.exact(n) {
			agree++
		}
	}
	return agree
}

// needed is how many connections must end at exactly request n. A server that ends connections at
// random, as kube-apiserver does with --goaway-chance (0.02 at most), ends two at the same request
// with a chance of 0.01, so a small number needs a third.
func needed(n int) int {
	const small = 200
	if n < small {
		return 3
	}
	return 2
}

// The tolerances of an age. gRPC changes each connection's age by up to a tenth (gRFC A9), so two
// of them may differ by 1.1/0.9. Several servers look at ages once a second.
const (
	agesDiffer  = 1.25
	ticksDiffer = 1.5 // of servers that look once a second, and of Envoy with a jitter of 50 %
	manyEnds    = 4   // that allow it beyond a second
	tickS       = 1.1
	seenLateS   = 0.15
	leastTickS  = 1.0
	// shortestS is the shortest age that is named: below it the noise of a slow machine is as large.
	shortestS = 0.5
)

// commonAge reports whether all connections may have ended at one age.
func commonAge(ended, open []life) bool {
	least, most := span(ended)
	together := most <= least*agesDiffer+seenLateS ||
		least >= leastTickS && most <= least*ticksDiffer && (most-least <= tickS || len(ended) >= manyEnds && !oneMoment(ended))
	if !together {
		return false
	}
	return !slices.ContainsFunc(open, func(l life) bool { return l.seconds > OutlivesS(least) })
}

// oneMoment reports whether connections of different ages ended at one moment, as a reload or a coarse timer ends them: they are one
// end, not several that agree.
func oneMoment(ended []life) bool {
	for i, a := range ended {
		for _, b := range ended[:i] {
			if math.Abs(a.last-b.last) < seenLateS && math.Abs(a.seconds-b.seconds) > tickS {
				return true
			}
		}
	}
	return false
}

// OutlivesS is the age from which on a connection refutes that connections end at an age of that
// many seconds.
func OutlivesS(age float64) float64 { return age*agesDiffer + tickS }

// ageIsProven reports whether enough connections ended at one age, with very different counts.
// Where a server ends them at random, three ends rarely come at one age.
func ageIsProven(ended []life) bool {
	const enough, apart = 3, 3
	fewest, most := math.MaxInt, 0
	for _, l := range ended {
		fewest, most = min(fewest, l.most), max(most, l.got)
	}
	shortest, _ := span(ended)
	return len(ended) >= enough && most >= apart*fewest && shortest >= shortestS && eachItsOwn(ended, shortest)
}

// eachItsOwn reports whether two connections that were open at one time ended as far apart as they had been opened. Events at
// intervals, such as restarts, end all connections together, and a connection that is opened after one of them lives to the next.
func eachItsOwn(ended []life, age float64) bool {
	const part = 0.15
	for i, a := range ended {
		for _, b := range ended[:i] {
			opened, over := b.first-a.first, b.last-a.last
			if a.beside(b) && (min(opened, over) > part*age || max(opened, over) < -part*age) {
				return true
			}
		}
	}
	return false
}

// beside reports whether both were open at one time.
func (l life) beside(o life) bool { return l.first < o.last && o.first < l.last }

// span is the shortest and the longest time.
func span(all []life) (least, most float64) {
	least = math.Inf(1)
	for _, l := range all {
		least, most = min(least, l.seconds), max(most, l.seconds)
	}
	return least, most
}

// groups are the counts at which connections ended exactly, the smallest first.
func groups(ended []life) []Group {
	out := []Group{}
	for _, l := range ended {
		n := l.most
		if !l.exact(n) {
			continue
		}
		at, found := slices.BinarySearchFunc(out, n, func(g Group, n int) int { return g.Requests - n })
		if !found {
			out = slices.Insert(out, at, Group{Requests: n})
		}
		out[at].Connections++
	}
	return out
}

// Package cause tells what ends a server's connections: a count of requests, an age, or neither.
//
// It compares the connections of one survey (facts.AskedConnection), which carried their requests
// at different paces. Ends after equal counts at different paces are a count; ends after equal
// times with different counts are an age. A connection that outlives an age, or carries more
// requests than a count, refutes it. The package names a cause only if the other one is refuted and
// several connections agree; otherwise it says which of them still fit.
package cause

import (
	"math"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// The kinds of causes.
const (
	None    = "none"            // the server ended no connection
	Count   = "count"           // connections end at a number of requests
	Age     = "age"             // connections end at an age
	Several = "several"         // connections end at one of several counts, or only some of them do
	Neither = "no-single-limit" // no one count and no one age fits all connections
	Unclear = "unclear"         // too little was seen: Fits lists what still fits
	Failure = "error"           // the server ended the connections with an error code
	Idle    = "idle"            // connections end when they are unused for a time, and only then
)

// Cause is what ends the connections of a server.
type Cause struct {
	Kind string `json:"kind"`
	// Fits lists which of Count, Age and Idle fit what was seen.
	Fits []string `json:"fits"`
	// Requests is the request at which connections end; null unless that is a count.
	Requests *int `json:"requests"`
	// LeastS and MostS are the ages at which connections ended, or for Idle how long they were unused; null for
	// other kinds.
	LeastS *float64 `json:"least_s"`
	MostS  *float64 `json:"most_s"`
	// Unanswered reports whether the request at which connections end gets no answer, so that it may
	// have run: then the cause is rather a crash than a limit.
	Unanswered bool `json:"unanswered"`
	// Earlier are the connections that ended before they reached the count, by something else: an age, a
	// reload, or chance.
	Earlier []End `json:"earlier"`
	// Unused are the connections that the server ended because they were unused; their Seconds are how long. Ends has
	// them too where there are no others.
	Unused []End `json:"unused"`
	// Ends are the connections that the server ended, Groups the counts at which several of them
	// ended.
	Ends   []End   `json:"ends"`
	Groups []Group `json:"groups"`
	// MostRequests and WatchedS are the largest number of answers on a connection that was not
	// ended, and the longest time that one was open.
	MostRequests int     `json:"most_requests"`
	WatchedS     float64 `json:"watched_s"`
}

// End is how far one connection got.
type End struct {
	// Requests is the request at which the end was announced or met; with many in flight it lies
	// between Least and Requests.
	Least    int     `json:"least"`
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
	// Error reports whether it ended with an error code.
	Error bool `json:"error"`
}

// Group is a number of requests at which several connections ended.
type Group struct {
	Requests    int `json:"requests"`
	Connections int `json:"connections"`
}

// Of tells the cause from a survey's connections.
func Of(e facts.Endpoint) Cause {
	var ended, called, unused, open []life
	asked, idle := false, unusedEnds(e.Asked)
	for i, a := range e.Asked {
		asked = asked || a.For == facts.ForLimit
		switch l := lifeOf(a); {
		case a.For == facts.ForIdle: // it ends because nothing is sent
		case a.For == facts.ForAge: // a server with a count may have an age that is longer
		case slices.Contains(idle, i):
			unused = append(unused, l)
		case l.ended && CalledUnused(a):
			called = append(called, l)
		case l.ended:
			ended = append(ended, l)
		default:
			open = append(open, l)
		}
	}
	c := Cause{Fits: []string{}, Ends: []End{}, Earlier: []End{}, Unused: []End{}, Groups: []Group{}}
	for _, l := range unused {
		end := l.end()
		end.Seconds = l.unused
		c.Unused = append(c.Unused, end)
	}
	none := len(ended) == 0
	if none {
		ended = slices.Concat(called, unused)
	}
	for _, l := range ended {
		c.Ends = append(c.Ends, l.end())
	}
	for _, l := range open {
		c.MostRequests, c.WatchedS = max(c.MostRequests, l.most), max(c.WatchedS, l.seconds)
	}
	switch {
	case !asked || none && len(called) > 0:
		c.Kind = Unclear
	case none && len(unused) > 0:
		c.unusedFor(unused, open)
	default: // an unused connection outlived an age, and carried its requests without an end
		c.decide(ended, slices.Concat(open, unused))
	}
	return c
}

// decide sets the kind.
func (c *Cause) decide(ended, open []life) {
	if len(ended) == 0 {
		c.Kind = None
		return
	}
	if slices.ContainsFunc(ended, func(l life) bool { return l.failed }) {
		c.Kind = Failure
		return
	}
	n, count := commonCount(ended, open)
	age := commonAge(ended, open)
	if count {
		c.Fits = append(c.Fits, Count)
	}
	if age {
		c.Fits = append(c.Fits, Age)
	}
	c.Groups = groups(brought(ended))
	switch {
	case count && !age && agreeing(ended, n) >= needed(n):
		c.Kind, c.Requests = Count, &n
		c.Unanswered = slices.ContainsFunc(ended, func(l life) bool { return l.unanswered && l.exact(n) })
	case age && !count && ageIsProven(ended):
		c.Kind = Age
		least, most := span(ended)
		c.LeastS, c.MostS = &least, &most
	case count || age:
		c.Kind = Unclear
	case c.differ(len(open)):
		c.Kind = Several
	case c.atMost(ended, open):
	default:
		c.Kind = Neither
	}
}

// differ reports whether connections end at several counts, each seen more than once, or at one
// count that others pass.
func (c *Cause) differ(open int) bool {
	repeated := 0
	for _, g := range c.Groups {
		if g.Connections > 1 {
			repeated += g.Connections
		}
	}
	if len(c.Groups) > 0 && c.Groups[0].Requests == 1 { // a server that restarts ends them at once too
		return false
	}
	// One connection more may have met a third server; two would be chance.
	return repeated > 0 && len(c.Ends)-repeated <= 1 && (open > 0 || len(c.Groups) > 1)
}

// atMost reports whether connections end at a count that none passes, and others before it by something else,
// such as a reload or an age: then one in light use is among them, which a limit in bytes does not end. It sets
// the kind, the count and the others. Without a connection that lived much longer, one age may end all of them;
// and if each of them was the only one in use since the end before, the server may count the requests of all
// connections together.
func (c *Cause) atMost(ended, open []life) bool {
	const least, more = 20, 1 // a server that ends connections at random often ends several at a small number
	n := 0
	for _, g := range c.Groups { // a larger one may be a GOAWAY's newest stream, which is a bound
		if g.Connections >= needed(g.Requests)+more {
			n = g.Requests
		}
	}
	var at, before []life
	for _, l := range ended {
		switch {
		case l.least <= n && n <= l.most:
			at = append(at, l)
		case l.least > n:
			return false
		default:
			before = append(before, l)
		}
	}
	passes := func(l life) bool { return l.most > n }
	if n < least || slices.ContainsFunc(open, passes) || repeats(before) ||
		!slices.ContainsFunc(before, func(l life) bool { return l.light }) {
		return false
	}
	beside := append(slices.Clone(before), open...)
	if !outlived(at, beside) || !slices.ContainsFunc(at, func(l life) bool { return l.exact(n) && !l.only(ended, open) }) {
		c.Kind, c.Fits = Unclear, []string{Count}
		return true
	}
	c.Kind, c.Requests = Count, &n
	for _, l := range before {
		c.Earlier = append(c.Earlier, l.end())
	}
	return true
}

// brought are the connections that were brought to their ends. Those in light use have one pace, so an age ends
// them at one request.
func brought(all []life) []life {
	return slices.DeleteFunc(slices.Clone(all), func(l life) bool { return l.light })
}

// repeats reports whether two connections met their ends at one request: another count.
func repeats(all []life) bool {
	return slices.ContainsFunc(groups(brought(all)), func(g Group) bool { return g.Connections > 1 })
}

// outlived reports whether another connection lived so much longer that the ends can't be those of an age.
func outlived(ends, others []life) bool {
	const times = 3
	_, most := span(ends)
	return slices.ContainsFunc(others, func(l life) bool { return l.seconds > times*most+seenLateS })
}

// only reports whether no other connection was in use between the last end before this one's and its own.
func (l life) only(ended, open []life) bool {
	before := math.Inf(-1)
	for _, o := range ended {
		if o.last < l.last {
			before = max(before, o.last)
		}
	}
	inUse := func(o life) bool { return o != l && o.first < l.last && o.last > before }
	return !slices.ContainsFunc(ended, inUse) && !slices.ContainsFunc(open, inUse)
}

const (
	// LeastUnusedS is the shortest idle time-out that is named: a GOAWAY that follows an answer comes sooner.
	LeastUnusedS = 0.02
	// longerS and longerBy are how far a pause that ended a connection exceeds all that connections outlived.
	longerS, longerBy = 0.005, 1.1
	// unusedDiffer and unusedTickS are how far the times of one idle time-out lie apart: gRPC's C++ core and others look
	// again after as long.
	unusedDiffer, unusedTickS = 2.2, 0.05
)

// unusedEnds are the indexes of the connections that an idle time-out ended: each had no request in flight, for longer than
// any connection outlived. An end at an age comes within pauses that the connection outlived before; a reload comes to
// connections in use at the same moment.
func unusedEnds(all []facts.AskedConnection) []int {
	var out []int
	least, most, outlived := math.Inf(1), 0.0, 0.0
	for i, a := range all {
		l := lifeOf(a)
		switch {
		case !l.ended || l.unused < LeastUnusedS:
		case a.For == facts.ForIdle: // it may have been watched for two such times
			outlived = max(outlived, l.unused/unusedDiffer)
		default:
			out = append(out, i)
			least, most = min(least, l.unused), max(most, l.unused)
		}
		outlived = max(outlived, l.paused)
	}
	if least < longerBy*outlived+longerS || most > unusedDiffer*least+unusedTickS || sameMoment(all, out) {
		return nil
	}
	return out
}

// sameMoment reports whether one of the unused connections ended together with another one that was open beside it and was not
// unused, or not for as long.
func sameMoment(all []facts.AskedConnection, unused []int) bool {
	for _, i := range unused {
		u := lifeOf(all[i])
		for j, a := range all {
			l := lifeOf(a)
			together, alike := math.Abs(l.last-u.last) < seenLateS/2, math.Abs(l.unused-u.unused) <= LeastUnusedS
			if i != j && l.ended && l.beside(u) && together && !alike {
				return true
			}
		}
	}
	return false
}

// unusedFor sets the kind of a server that ended connections only because they were unused: one of them, or another, was in use
// for much longer.
func (c *Cause) unusedFor(ends, open []life) {
	const times, enough = 3, 2
	least, most := math.Inf(1), 0.0
	for _, l := range ends {
		least, most = min(least, l.unused), max(most, l.unused)
		c.MostRequests, c.WatchedS = max(c.MostRequests, l.got), max(c.WatchedS, l.seconds)
	}
	c.Kind, c.Fits = Unclear, []string{Idle}
	inUse := func(l life) bool { return l.seconds-l.unused > times*most }
	if len(ends) >= enough && (slices.ContainsFunc(ends, inUse) || slices.ContainsFunc(open, inUse)) {
		c.Kind, c.LeastS, c.MostS = Idle, &least, &most
	}
}

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

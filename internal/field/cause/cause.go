// Package cause tells what ends a server's connections: a count of requests, an age, or neither.
//
// It compares the connections of one survey (facts.AskedConnection), which carried their requests
// at different paces. Ends after equal counts at different paces are a count; ends after equal
// times with different counts are an age. A connection that outlives an age, or carries more
// requests than a count, refutes it. The package names a cause only if the other one is refuted and
// several connections agree; otherwise it says which of them still fit.
package cause

import (
	"slices"

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

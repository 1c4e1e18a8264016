package family

import (
	"h2lab/internal/facts"
)

// What a clue is about. Two kinds that agree are worth more than one twice.
const (
	aboutSettings = "settings"
	aboutEnding   = "ending"
	aboutCrossing = "streams across the end"
	aboutClose    = "close"
	aboutIdle     = "idle"
	aboutBudget   = "budget"
	aboutHeader   = "header"
)

// How much a clue weighs.
const (
	weak    = 1
	fair    = 2
	telling = 3
	proof   = 4 // no other family that was measured does so
)

// clue is one fact that speaks for a family, or against it where it is missing.
type clue struct {
	about string
	// asked says whether the endpoint can answer, holds what it answers.
	asked, holds func(facts.Endpoint) bool
	weight       int    // of holding
	says         string // then
	against      int    // of not holding; 0 is silence
	denies       string // then
	// source is a recording in testdata ("measured: NAME") or the server's own source.
	source string
}

// weigh adds what a clue says of an endpoint to a candidate.
func (c clue) weigh(e facts.Endpoint, to *Candidate) {
	switch {
	case !c.asked(e):
	case c.holds(e):
		to.speaksFor(Evidence{About: c.about, Says: c.says, Weight: c.weight, Source: c.source})
	case c.against > 0:
		to.speaksAgainst(Evidence{About: c.about, Says: c.denies, Weight: c.against, Source: c.source})
	}
}

func (c *Candidate) speaksFor(ev Evidence) {
	c.For = append(c.For, ev)
	if ev.About == aboutHeader {
		c.header += ev.Weight
		return
	}
	c.behaviour += ev.Weight
	c.kinds[ev.About] = true
}

func (c *Candidate) speaksAgainst(ev Evidence) {
	c.Against = append(c.Against, ev)
	c.against += ev.Weight
}

// The questions that clues ask. An HTTP/1.1 survey has no frames to ask.

func isH2(e facts.Endpoint) bool { return e.Protocol != facts.H1 }

// graceful is a limit met over HTTP/2 whose GOAWAY says NO_ERROR.
func graceful(e facts.Endpoint) bool {
	return isH2(e) && e.Ending != nil && e.Ending.How != facts.EndedByError && len(e.Ending.Goaways) > 0
}

func limitMet(e facts.Endpoint) bool { return isH2(e) && e.Ending != nil }

func endedBy(how string) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool { return e.Ending != nil && e.Ending.How == how }
}

func lateOnesSent(e facts.Endpoint) bool {
	return graceful(e) && e.Crossing != nil && e.Crossing.After.Sent > 0
}

func lateOnesDropped(e facts.Endpoint) bool { return e.Crossing.After.Dropped == e.Crossing.After.Sent }

func lateOnesServed(e facts.Endpoint) bool { return e.Crossing.After.Answered == e.Crossing.After.Sent }

func uncovered(e facts.Endpoint) bool {
	return graceful(e) && e.Crossing != nil && e.Crossing.InFlight.Sent+e.Crossing.Covered.Sent > 1
}

// wasClosed is a connection whose TCP end was seen after a GOAWAY.
func wasClosed(e facts.Endpoint) bool { return graceful(e) && e.Ending.CloseMS != nil }

// afterLast is the time from the newest GOAWAY to TCP's end.
func afterLast(x *facts.Ending) float64 {
	first, last := x.Goaways[0], x.Goaways[len(x.Goaways)-1]
	return *x.CloseMS - (last.TMS - first.TMS)
}

// A server's one-second timer, as a client sees it: the path and a busy machine add to it.
const timerLeast, timerSlack = 0.9, 700

// takes says whether a time is that of a timer of so many milliseconds.
func takes(got, timer float64) bool { return got >= timerLeast*timer && got <= timer+timerSlack }

// prompt is a close without a timer behind it.
const promptMS = 500

func idleSeen(e facts.Endpoint) bool { return isH2(e) && e.Idle != nil && e.Idle.Ending != nil }

func idleBy(how string) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool { return e.Idle.Ending.How == how }
}

func idleDebug(text string) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool {
		g := e.Idle.Ending.Goaways
		return len(g) > 0 && g[0].Debug == text
	}
}

// idleOneStage is an unused connection that got GOAWAYs of one id, without a
// text, and a FIN. How long that took is no part of it: a busy machine and the
// probe's own last frames change it.
func idleOneStage(most int) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool {
		x := e.Idle.Ending
		if x.How != facts.EndedByGoaway || len(x.Goaways) > most || x.Closed == "rst" {
			return false
		}
		for _, g := range x.Goaways {
			if g.Debug != "" {
				return false
			}
		}
		return true
	}
}

// idleClosedAfter is an unused connection that was closed so many milliseconds after its GOAWAY.
func idleClosedAfter(timer float64) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool {
		x := e.Idle.Ending
		return x.How == facts.EndedByGoaway && len(x.Goaways) == 1 && x.CloseMS != nil && takes(*x.CloseMS, timer)
	}
}

package family

import (
	"strings"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// The kinds of clues. Two clues of different kinds that agree count more than two of one kind.
const (
	aboutSettings = "settings"
	aboutEnding   = "ending"
	aboutCrossing = "streams across the end"
	aboutClose    = "close"
	aboutIdle     = "idle"
	aboutBudget   = "budget"
	aboutHeader   = "header"
)

// The weights of clues.
const (
	weak    = 1
	fair    = 2
	telling = 3
	proof   = 4 // no other measured family does so
)

// grpcWords are texts of GOAWAYs that gRPC's servers send when they end a connection at an age, an
// idle time, or for its keepalive pings (gRFC A8, A9).
var grpcWords = []string{"max_age", "max_idle", "too_many_pings"}

// grpcWord is the first of them that a GOAWAY of the endpoint has, or "".
func grpcWord(e facts.Endpoint) string {
	for _, a := range e.Asked {
		for _, g := range a.Goaways {
			for _, w := range grpcWords {
				if strings.Contains(g.Debug, w) {
					return w
				}
			}
		}
	}
	return ""
}

// clue is one fact: evidence for a family if it holds, and possibly against it if it doesn't.
type clue struct {
	About string
	If    string         // the predicate
	Says  texts.Sentence // if it holds
	// Weight counts if it holds, Against if it doesn't; 0 is no evidence.
	Weight, Against int
	Denies          string // text if it doesn't hold
	// Source is a recording in testdata ("measured: NAME") or the server's own source.
	Source string
}

// weigh adds the clue's evidence about an endpoint to a candidate.
func (c clue) weigh(e facts.Endpoint, to *Candidate) {
	switch p := predicates[c.If]; {
	case !p.asked(e):
	case p.holds(e):
		to.speaksFor(Evidence{About: c.About, Says: c.Says, Weight: c.Weight, Source: c.Source})
	case c.Against > 0:
		to.speaksAgainst(Evidence{About: c.About, Says: texts.Sentence(facts.Verbatim(c.Denies)), Weight: c.Against, Source: c.Source})
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

// Predicates of clues. An HTTP/1.1 survey has no frames to check.

func isH2(e facts.Endpoint) bool { return e.Protocol != facts.H1 }

// counted reports whether a request limit over HTTP/2 ends the connections.
func counted(e facts.Endpoint) bool { return isH2(e) && cause.Of(e).Kind == cause.Count }

// withoutGoaway reports whether the connections were closed without an announcement.
func withoutGoaway(e facts.Endpoint) bool {
	return e.Ending != nil && (e.Ending.How == facts.EndedByClose || e.Ending.How == facts.EndedByReset)
}

// graceful reports a connection over HTTP/2 that ended by a GOAWAY with NO_ERROR.
func graceful(e facts.Endpoint) bool {
	return isH2(e) && e.Ending != nil && e.Ending.How != facts.EndedByError && len(e.Ending.Goaways) > 0
}

func endedBy(how string) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool { return e.Ending != nil && e.Ending.How == how }
}

func lateOnesSent(e facts.Endpoint) bool {
	return graceful(e) && e.Crossing != nil && e.Crossing.After.Sent > 0
}

func lateOnesDropped(e facts.Endpoint) bool { return e.Crossing.After.Dropped == e.Crossing.After.Sent }

func lateOnesServed(e facts.Endpoint) bool { return e.Crossing.After.Answered == e.Crossing.After.Sent }

// wasClosed reports whether the TCP connection was closed after a GOAWAY.
func wasClosed(e facts.Endpoint) bool { return graceful(e) && e.Ending.CloseMS != nil }

// afterLast is the time from the newest GOAWAY to the end of the TCP connection.
func afterLast(x *facts.Ending) float64 {
	first, last := x.Goaways[0], x.Goaways[len(x.Goaways)-1]
	return *x.CloseMS - (last.TMS - first.TMS)
}

// The tolerance for a server's one-second timer: the network and a busy machine delay what the
// client sees.
const timerLeast, timerSlack = 0.9, 700

// takes reports whether a time matches a timer of that many milliseconds.
func takes(got, timer float64) bool { return got >= timerLeast*timer && got <= timer+timerSlack }

// promptMS is the maximum time of a close without a timer.
const promptMS = 500

func idleSeen(e facts.Endpoint) bool { return isH2(e) && e.Idle != nil && e.Idle.Ending != nil }

// idleWithoutGoaway reports whether an unused connection was closed without an announcement.
func idleWithoutGoaway(e facts.Endpoint) bool { return idleSeen(e) && len(e.Idle.Ending.Goaways) == 0 }

// idleAnnounced reports an unused connection whose end a GOAWAY announced. One that was closed without one may have been cut by
// a balancer, which says nothing about the server.
func idleAnnounced(e facts.Endpoint) bool { return idleSeen(e) && len(e.Idle.Ending.Goaways) > 0 }

func idleBy(how string) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool { return e.Idle.Ending.How == how }
}

func idleDebug(text string) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool {
		g := e.Idle.Ending.Goaways
		return len(g) > 0 && g[0].Debug == text
	}
}

// idleOneStage reports an unused connection that got GOAWAYs of one id, without debug data, and a
// FIN. It ignores the time: a busy machine and the probe's own last frames change it.
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

// idleClosedAfter reports an unused connection that was closed that many milliseconds after its
// GOAWAY.
func idleClosedAfter(timer float64) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool {
		x := e.Idle.Ending
		return x.How == facts.EndedByGoaway && len(x.Goaways) == 1 && x.CloseMS != nil && takes(*x.CloseMS, timer)
	}
}

func closedAfter(milliseconds float64) func(facts.Endpoint) bool {
	return func(e facts.Endpoint) bool { return takes(afterLast(e.Ending), milliseconds) }
}

func twoStageClose(e facts.Endpoint) bool {
	return wasClosed(e) && e.Ending.How == facts.EndedByTwoStages && len(e.Ending.Goaways) > 1
}

// countedOut reports whether every connection reached the limit at the same request, although the
// first had many in flight, and its GOAWAY names exactly that stream.
func countedOut(e facts.Endpoint) bool {
	c := cause.Of(e)
	return e.Ending != nil && e.Ending.How == facts.EndedByGoaway && len(e.Ending.Goaways) == 1 && c.Requests != nil &&
		int64(e.Ending.Goaways[0].LastStreamID) == 2*int64(*c.Requests)-1
}

// takenByTheWay reports whether a connection with many requests in flight got more of them than one
// that sent its requests one at a time.
func takenByTheWay(e facts.Endpoint) bool {
	c := cause.Of(e)
	return e.Ending != nil && e.Ending.How == facts.EndedByGoaway && len(e.Ending.Goaways) > 0 && c.Requests != nil &&
		int64(e.Ending.Goaways[0].LastStreamID) > 2*int64(*c.Requests)-1
}

func sayingShutdown(e facts.Endpoint) bool {
	return e.Ending.How == facts.EndedByTwoStages && len(e.Ending.Goaways) > 0 &&
		e.Ending.Goaways[0].Debug == "graceful shutdown"
}

// oneFutureID reports a GOAWAY with an id above all streams, and no other id but the real one at the close.
func oneFutureID(e facts.Endpoint) bool {
	const most = 2
	return e.Ending != nil && e.Ending.How == facts.EndedByFutureID && len(e.Ending.Goaways) <= most
}

// repeatedGoaway reports whether the server sent one GOAWAY several times.
func repeatedGoaway(e facts.Endpoint) bool {
	g := e.Ending.Goaways
	return len(g) > 2 && g[0].LastStreamID == g[len(g)-1].LastStreamID
}

// never is for a clue that can only be evidence against a family.
func never(facts.Endpoint) bool { return false }

// predicates are the conditions of families.toml: whether an endpoint can show a fact, and whether it does.
var predicates = map[string]struct{ asked, holds func(facts.Endpoint) bool }{
	"never-counted":    {counted, never},
	"counted-out":      {counted, countedOut},
	"taken-by-the-way": {counted, takenByTheWay},
	"saying-shutdown":  {counted, sayingShutdown},
	"repeated-goaway":  {counted, repeatedGoaway},
	"one-goaway":       {graceful, endedBy(facts.EndedByGoaway)},
	"two-stages":       {graceful, endedBy(facts.EndedByTwoStages)},
	"future-id":        {graceful, oneFutureID},
	"grpc-text":        {graceful, func(e facts.Endpoint) bool { return grpcWord(e) != "" }},
	"max-age-text": {graceful, func(e facts.Endpoint) bool { // gRPC's has an underscore
		return e.Ending.Goaways[0].Debug == "max-age"
	}},
	"late-dropped":    {lateOnesSent, lateOnesDropped},
	"late-answered":   {lateOnesSent, lateOnesServed},
	"closed-at-once":  {wasClosed, func(e facts.Endpoint) bool { return afterLast(e.Ending) <= promptMS }},
	"closed-after-1s": {wasClosed, closedAfter(1000)},
	"closed-after-2s": {wasClosed, func(e facts.Endpoint) bool {
		return e.Ending.How == facts.EndedByTwoStages && takes(*e.Ending.CloseMS, 2000)
	}},
	"two-stages-closed-after-1s": {twoStageClose, closedAfter(1000)},
	"idle-closed":                {idleSeen, idleBy(facts.EndedByClose)},
	"idle-reset":                 {idleSeen, idleBy(facts.EndedByReset)},
	"idle-one-goaway":            {idleAnnounced, idleOneStage(1)},
	"idle-goaways-of-one-id":     {idleAnnounced, idleOneStage(2)},
	"idle-two-stages":            {idleAnnounced, idleBy(facts.EndedByTwoStages)},
	"idle-closed-after-1s":       {idleAnnounced, idleClosedAfter(1000)},
	"idle-text-timeout":          {idleAnnounced, idleDebug("timeout")},
	"idle-text-idle-timeout":     {idleAnnounced, idleDebug("idle timeout")},
	"idle-text-idle_timeout":     {idleAnnounced, idleDebug("idle_timeout")},
	"idle-text-inactivity": {idleAnnounced, func(e facts.Endpoint) bool {
		return strings.HasPrefix(e.Idle.Ending.Goaways[0].Debug, "Timeout due to inactivity")
	}},
}

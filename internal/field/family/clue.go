package family

import (
	"slices"
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
	When  string // the endpoints that can show it
	How   string // its conditions: those that are set hold all
	Text  string
	// Goaways is how many there are at most.
	Goaways int
	ClosedS float64 `toml:"closed_s"`
	Is      string
	Says    texts.Sentence // if it holds
	// Weight counts if it holds, Against if it doesn't; 0 is no evidence.
	Weight, Against int
	Denies          string // text if it doesn't hold
	// Source is a recording in testdata ("measured: NAME") or the server's own source.
	Source string
}

// weigh adds the clue's evidence about an endpoint to a candidate.
func (c clue) weigh(e facts.Endpoint, to *Candidate) {
	switch x := whens[c.When](e); {
	case x == nil:
	case c.holds(e, x):
		to.speaksFor(Evidence{About: c.About, Says: c.Says, Weight: c.Weight, Source: c.Source})
	case c.Against > 0:
		to.speaksAgainst(Evidence{About: c.About, Says: texts.Sentence(facts.Verbatim(c.Denies)), Weight: c.Against, Source: c.Source})
	}
}

// holds compares a clue with an end.
func (c clue) holds(e facts.Endpoint, x *facts.Ending) bool {
	is := predicates[c.Is]
	return (c.How == "" || x.How == c.How) && (c.Text == "" || len(x.Goaways) > 0 && strings.HasPrefix(x.Goaways[0].Debug, c.Text)) &&
		(c.Goaways == 0 || len(x.Goaways) <= c.Goaways) && (c.ClosedS == 0 || takes(afterLast(x), 1000*c.ClosedS)) &&
		(is == nil || is(e, x))
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

// afterLast is the time from the newest GOAWAY to the end of the TCP connection; −1 where it was not closed.
func afterLast(x *facts.Ending) float64 {
	if x.CloseMS == nil {
		return -1
	}
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

// countedOut reports whether every connection reached the limit at the same request, although the
// first had many in flight, and its GOAWAY names exactly that stream.
func countedOut(e facts.Endpoint, x *facts.Ending) bool {
	n := cause.Of(e).Requests
	return x.How == facts.EndedByGoaway && len(x.Goaways) == 1 && n != nil && int64(x.Goaways[0].LastStreamID) == 2*int64(*n)-1
}

// takenByTheWay reports whether a connection with many requests in flight got more of them than one
// that sent its requests one at a time.
func takenByTheWay(e facts.Endpoint, x *facts.Ending) bool {
	n := cause.Of(e).Requests
	return x.How == facts.EndedByGoaway && len(x.Goaways) > 0 && n != nil && int64(x.Goaways[0].LastStreamID) > 2*int64(*n)-1
}

// ending is the end of an endpoint's connections where a condition holds.
func ending(where func(facts.Endpoint) bool) func(facts.Endpoint) *facts.Ending {
	return func(e facts.Endpoint) *facts.Ending {
		if e.Ending == nil || !where(e) {
			return nil
		}
		return e.Ending
	}
}

// unused is the end of an unused connection.
func unused(e facts.Endpoint) *facts.Ending {
	if !idleSeen(e) {
		return nil
	}
	return e.Idle.Ending
}

// whens are the ends that can show a clue, or nil.
var whens = map[string]func(facts.Endpoint) *facts.Ending{
	"counted":  ending(counted),
	"graceful": ending(graceful),
	"late": ending(func(e facts.Endpoint) bool {
		return graceful(e) && e.Crossing != nil && e.Crossing.After.Sent > 0
	}),
	"closed": ending(func(e facts.Endpoint) bool { return graceful(e) && e.Ending.CloseMS != nil }),
	"idle":   unused,
	// One that was closed without a GOAWAY may have been cut by a balancer, which says nothing about the server.
	"idle-announced": func(e facts.Endpoint) *facts.Ending {
		if x := unused(e); x != nil && len(x.Goaways) > 0 {
			return x
		}
		return nil
	},
}

// predicates are the conditions that have a name.
var predicates = map[string]func(facts.Endpoint, *facts.Ending) bool{
	"never":            func(facts.Endpoint, *facts.Ending) bool { return false }, // it is evidence against a family only
	"counted-out":      countedOut,
	"taken-by-the-way": takenByTheWay,
	"repeated": func(_ facts.Endpoint, x *facts.Ending) bool {
		g := x.Goaways
		return len(g) > 2 && g[0].LastStreamID == g[len(g)-1].LastStreamID
	},
	"grpc-text": func(e facts.Endpoint, _ *facts.Ending) bool { return grpcWord(e) != "" },
	"dropped":   func(e facts.Endpoint, _ *facts.Ending) bool { return e.Crossing.After.Dropped == e.Crossing.After.Sent },
	"answered": func(e facts.Endpoint, _ *facts.Ending) bool {
		return e.Crossing.After.Answered == e.Crossing.After.Sent
	},
	"closed-at-once": func(_ facts.Endpoint, x *facts.Ending) bool { return afterLast(x) <= promptMS },
	"closed-2s-after-the-first": func(_ facts.Endpoint, x *facts.Ending) bool {
		return takes(*x.CloseMS, 2000)
	},
	// The time is ignored: a busy machine and the probe's own last frames change it.
	"without-text": func(_ facts.Endpoint, x *facts.Ending) bool {
		return x.Closed != "rst" && !slices.ContainsFunc(x.Goaways, func(g facts.GoawayFrame) bool { return g.Debug != "" })
	},
}

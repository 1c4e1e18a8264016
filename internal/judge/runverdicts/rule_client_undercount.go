package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// unseen: a client's own metrics miss most connections if they report less than this share of the
// accepted ones.
const unseen = 0.5

var clientUndercount = Rule{
	ID:        "client-undercount",
	Title:     facts.T("rule.client-undercount"),
	Reference: "k6 lib/netext/httpext/tracer.go GotConn (with info.Reused connecting and handshaking are set to 0)",
	Care:      facts.T("rule.client-undercount-care"),
	Commands:  []string{repro, matrix},
	Group:     core.Fault,
	// connections are counted, whenever their requests were sent
	AnySchedule: true,
	Judge: func(f runFacts) finding {
		l, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		var reported, accepted float64
		for _, t := range l.Trials {
			if t.Connections.ClientReported == nil || t.Connections.Accepted == nil {
				return finding{Status: facts.Inconclusive,
					Actual: facts.T("verdict.k6-did-not-report", t.Index),
					Next:   facts.T("verdict.look-trials-warnings"), Evidence: f.Evidence(l.See("/trials/0/connections")...)}
			}
			reported += float64(*t.Connections.ClientReported)
			accepted += float64(*t.Connections.Accepted)
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: facts.T("verdict.less-than-percent-accepted", core.Fixed(unseen*100, 0)),
			Next:     facts.T("verdict.count-connections-server-stub"),
			Evidence: f.Evidence(l.See("/trials/0/connections/client_reported", "/trials/0/connections/accepted")...),
			Warnings: f.FewTrials(),
		}
		if accepted == 0 {
			a.Status, a.Actual = facts.NotReproduced, facts.T("verdict.no-connection-opened-window")
			_, a.Next = l.whyNone()
			return a
		}
		a.Actual = facts.T("verdict.k6-reported-percent", core.Count(reported), core.Things(accepted, core.Connections),
			core.Fixed(100*reported/accepted, 1))
		if reported >= unseen*accepted {
			a.Status = facts.NotReproduced
			a.Next = facts.T("verdict.without-stampede-k6-counts")
		}
		return a
	},
}

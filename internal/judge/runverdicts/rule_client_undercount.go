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
	Title:     "k6's metrics miss most of the connections that it opens",
	Reference: "k6 lib/netext/httpext/tracer.go GotConn (with info.Reused connecting and handshaking are set to 0)",
	Care: "http_req_connecting and http_req_tls_handshaking look healthy in the middle of a stampede; only the " +
		"server counts every connection.",
	Commands: []string{repro, matrix},
	Group:    core.Fault,
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
					Actual: f.Say("k6 did not report its connections in trial %d", t.Index),
					Next:   f.Say("Look at the trial's warnings."), Evidence: f.Evidence(l.See("/trials/0/connections")...)}
			}
			reported += float64(*t.Connections.ClientReported)
			accepted += float64(*t.Connections.Accepted)
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: f.Say("less than %.0f %% of the accepted connections in k6's own metrics", unseen*100),
			Next:     f.Say("Count connections on the server (stub_status accepts)."),
			Evidence: f.Evidence(l.See("/trials/0/connections/client_reported", "/trials/0/connections/accepted")...),
			Warnings: f.FewTrials(),
		}
		if accepted == 0 {
			a.Status, a.Actual = facts.NotReproduced, f.Say("no connection was opened in the window")
			_, a.Next = l.whyNone()
			return a
		}
		a.Actual = f.Say("k6 reported %s of %s, %.1f %%", core.Count(reported), f.Things(accepted, core.Connections),
			100*reported/accepted)
		if reported >= unseen*accepted {
			a.Status = facts.NotReproduced
			a.Next = f.Say("Without a stampede k6 counts well; look at dial-stampede.")
		}
		return a
	},
}

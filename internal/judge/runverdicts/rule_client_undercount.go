package runverdicts

import "h2lab/internal/facts"

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
	Group:    Fault,
	judge: func(f runFacts) finding {
		l, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		var reported, accepted float64
		for _, t := range l.Trials {
			if t.Connections.ClientReported == nil || t.Connections.Accepted == nil {
				return finding{status: facts.Inconclusive,
					actual: f.say("k6 did not report its connections in trial %d", t.Index),
					next:   f.say("Look at the trial's warnings."), evidence: f.see(l.see("/trials/0/connections")...)}
			}
			reported += float64(*t.Connections.ClientReported)
			accepted += float64(*t.Connections.Accepted)
		}
		a := finding{
			status:   facts.Reproduced,
			expected: f.say("less than %.0f %% of the accepted connections in k6's own metrics", unseen*100),
			next:     f.say("Count connections on the server (stub_status accepts)."),
			evidence: f.see(l.see("/trials/0/connections/client_reported", "/trials/0/connections/accepted")...),
			warnings: f.fewTrials(),
		}
		if accepted == 0 {
			a.status, a.actual = facts.NotReproduced, f.say("no connection was opened in the window")
			_, a.next = l.whyNone()
			return a
		}
		a.actual = f.say("k6 reported %s of %s, %.1f %%", count(reported), f.things(accepted, connections),
			100*reported/accepted)
		if reported >= unseen*accepted {
			a.status = facts.NotReproduced
			a.next = f.say("Without a stampede k6 counts well; look at dial-stampede.")
		}
		return a
	},
}

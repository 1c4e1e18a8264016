package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const throughputSource = "RFC 9113 §9.1 (one connection for each server); Go net/http transport.go queueForDial; " +
	"TLS handshakes in nginx ngx_event_openssl.c ngx_ssl_handshake"

var throughputDrop = Rule{
	ID:        "throughput-drop",
	Title:     facts.T("rule.throughput-drop"),
	Reference: throughputSource,
	Care:      facts.T("rule.throughput-drop-care"),
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Fault,
	Loop:      core.Closed,
	Judge: func(f runFacts) finding {
		p, lack := f.protocols(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status: facts.Reproduced,
			Expected: facts.T("verdict.h2-h1-goodput-significantly", core.Fixed(dropped, 2),
				facts.T("verdict.original-demonstration-0-41")),
			Actual:   p.account(),
			Next:     facts.T("verdict.compare-proxys-cpu-per"),
			Evidence: f.Evidence(p.places()...),
			Warnings: f.FewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS),
		}
		a.Warnings = append(a.Warnings, p.Warnings...)
		if more := f.others(f.low()); !more.IsZero() {
			a.Actual.Add(facts.T("verdict.also", more))
		}
		switch yes, no := p.drop(); {
		case yes:
		case no:
			a.Status = facts.NotReproduced
			a.Actual.Add(facts.T("verdict.also", f.whyFast(p.h2)))
			a.Next = facts.T("verdict.set-original-budget")
		default:
			a = f.undecided(a)
		}
		return a
	},
}

package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const throughputSource = "RFC 9113 §9.1 (one connection for each server); Go net/http transport.go queueForDial; " +
	"TLS handshakes in nginx ngx_event_openssl.c ngx_ssl_handshake"

var throughputDrop = Rule{
	ID:        "throughput-drop",
	Title:     "HTTP/2 delivers less than HTTP/1.1 at the same limit",
	Reference: throughputSource,
	Care: "The faster protocol becomes the slower one, because the proxy spends its processor time on handshakes " +
		"of unused connections.",
	Commands: []string{repro, fixed, matrix},
	Group:    core.Fault,
	Loop:     core.Closed,
	Judge: func(f runFacts) finding {
		p, lack := f.protocols(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: f.Say("h2/h1 goodput significantly below %.2f (%s)", dropped, f.Say(original)),
			Actual:   p.account(),
			Next: f.Say("Compare the proxy's CPU per request (handshake-cost) " +
				"and the connections accepted (dial-stampede)."),
			Evidence: f.Evidence(p.places()...),
			Warnings: f.FewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS),
		}
		a.Warnings = append(a.Warnings, f.Recorded(p.Warnings)...)
		if more := f.others(f.low()); more != "" {
			a.Actual += f.Say("; %s", more)
		}
		switch yes, no := p.drop(); {
		case yes:
		case no:
			a.Status = facts.NotReproduced
			a.Actual += f.Say("; %s", f.whyFast(p.h2))
			a.Next = f.Say("Set CPUS=0.5 and KEY=rsa, as the original demonstration had.")
		default:
			a = f.undecided(a)
		}
		return a
	},
}

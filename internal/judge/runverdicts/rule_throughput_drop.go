package runverdicts

import "h2lab/internal/facts"

const throughputSource = "RFC 9113 §9.1 (one connection for each server); Go net/http transport.go queueForDial; " +
	"TLS handshakes in nginx ngx_event_openssl.c ngx_ssl_handshake"

var throughputDrop = Rule{
	ID:        "throughput-drop",
	Title:     "HTTP/2 delivers less than HTTP/1.1 at the same limit",
	Reference: throughputSource,
	Care: "The faster protocol becomes the slower one, because the proxy spends its processor time on handshakes " +
		"of unused connections.",
	Commands: []string{repro, fixed, matrix},
	Group:    Fault,
	judge: func(f runFacts) finding {
		p, lack := f.protocols(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		a := finding{
			status:   facts.Reproduced,
			expected: f.say("h2/h1 goodput significantly below %.2f (%s)", dropped, f.say(original)),
			actual:   p.account(),
			next: f.say("Compare the proxy's CPU per request (handshake-cost) " +
				"and the connections accepted (dial-stampede)."),
			evidence: f.see(p.places()...),
			warnings: f.fewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS),
		}
		a.warnings = append(a.warnings, f.recorded(p.Warnings)...)
		if more := f.others(f.low()); more != "" {
			a.actual += f.say("; %s", more)
		}
		switch yes, no := p.drop(); {
		case yes:
		case no:
			a.status = facts.NotReproduced
			a.actual += f.say("; %s", f.whyFast(p.h2))
			a.next = f.say("Set CPUS=0.5 and KEY=rsa, as the original demonstration had.")
		default:
			a.status = facts.Inconclusive
			a.actual += f.say("; the difference is not significant")
			a.next = f.say("Raise TRIALS or DURATION, on an idle machine.")
		}
		return a
	},
}

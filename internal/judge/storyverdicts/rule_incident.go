package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const storySource = "RFC 9113 §6.8 and §8.7; nginx ngx_http_core_module, keepalive_requests; OkHttp 3.4 " +
	"okhttp3.internal.framed.FramedConnection and okhttp3.internal.http.StreamAllocation"

var incident = Rule{
	ID:        "story-incident",
	Title:     facts.T("rule.story-incident"),
	Reference: storySource,
	Care:      facts.T("rule.story-incident-care"),
	Group:     core.Fault,
	Judge: func(f storyFacts) core.Finding {
		low, cut, lack := f.two(f.Incident(), f.Cut())
		if lack != nil {
			return *lack
		}
		u, d := compareUsers(low, cut), damageOf(low)
		a := core.Finding{
			Status:   facts.Reproduced,
			Expected: facts.T("storyverdict.goodput-significantly-lower-p99", cut.ID(), twice),
			Actual:   facts.Join("join.semicolon", f.account(low, cut, u), d.account()),
			Next:     facts.T("storyverdict.look-proxys-limit-h2lab"),
			Evidence: f.Evidence(append(userPlaces(low, cut), d.places()...)...),
			Warnings: f.warnings(u.goodput, u.p99),
		}
		switch {
		case u.goodput.Ratio == nil || u.p99.Ratio == nil:
			a.Status, a.Next = facts.Inconclusive, facts.T("storyverdict.look-failures-these-cells")
		case d.renewals() == 0 && !d.any():
			a.Status = facts.NotReproduced
			a.Actual.Add(facts.T("storyverdict.no-connection-reached-limit"))
			a.Next = facts.T("storyverdict.raise-duration-or-lower")
		case u.worse() && d.any():
		case u.better() && !u.either(), !d.any() && u.decidable() && !u.either():
			a.Status = facts.NotReproduced
			a.Next = facts.T("storyverdict.compare-versions-nginx-service")
		default:
			a.Status = facts.Inconclusive
			a.Actual.Add(facts.T("storyverdict.not-all-beyond-noise"))
			a.Next = facts.T("verdict.raise-trials-or-duration-idle")
		}
		return a
	},
}

package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const storySource = "RFC 9113 §6.8 and §8.7; nginx ngx_http_core_module, keepalive_requests; OkHttp 3.4 " +
	"okhttp3.internal.framed.FramedConnection and okhttp3.internal.http.StreamAllocation"

var incident = Rule{
	ID: "story-incident",
	Title: "Through the reverse proxy the users get less and wait longer than from the gateway alone, and its limit on " +
		"requests per connection does the damage",
	Reference: storySource,
	Care:      "This is what the service's team sees, and what nobody sees who tests the gateway alone.",
	Group:     core.Fault,
	Judge: func(f storyFacts) core.Finding {
		low, cut, lack := f.two(f.Incident(), f.Cut())
		if lack != nil {
			return *lack
		}
		u, d := compareUsers(low, cut), damageOf(low)
		a := core.Finding{
			Status: facts.Reproduced,
			Expected: f.Say("goodput significantly lower and p99 significantly higher than at %s, and failures, repeated "+
				"requests or more than %d connections for each expected one", cut.ID(), twice),
			Actual:   f.Sentence(f.account(low, cut, u), d.account()),
			Next:     f.Say("Look at the proxy's limit: `h2lab lint` and `h2lab probe` find it."),
			Evidence: f.Evidence(append(userPlaces(low, cut), d.places()...)...),
			Warnings: f.warnings(u.goodput, u.p99),
		}
		switch {
		case u.goodput.Ratio == nil || u.p99.Ratio == nil:
			a.Status, a.Next = facts.Inconclusive, f.Say("Look at the failures of these cells.")
		case d.renewals() == 0 && !d.any():
			a.Status = facts.NotReproduced
			a.Actual += f.Say("; no connection reached the limit in the window, so none was renewed")
			a.Next = f.Say("Raise DURATION or lower LIMIT.")
		case u.worse() && d.any():
		case u.better() && !u.either(), !d.any() && u.decidable() && !u.either():
			a.Status = facts.NotReproduced
			a.Next = f.Say("Compare the versions of nginx and of the service with the recorded run's.")
		default:
			a.Status = facts.Inconclusive
			a.Actual += f.Say("; not all of it is beyond noise")
			a.Next = f.Say("Raise TRIALS or DURATION, on an idle machine.")
		}
		return a
	},
}

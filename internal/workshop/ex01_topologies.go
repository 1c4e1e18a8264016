package workshop

import (
	"context"

	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

// mostAsked is how many requests the check sends on one connection to find a limit, one more than
// `h2lab probe` sends on loopback.
const mostAsked = 20_001

// leastAsked is the least N that a claim of "more than N" must name: nginx's default limit is 1000.
const leastAsked = 1000

// frontsAsked are the keys of exercise 1 and the topologies that they name.
var frontsAsked = []string{lowNginx, highNginx, lowEnvoy, direct}

// checkTopologies: how many requests does one HTTP/2 connection get?
func checkTopologies(ctx context.Context, d *Desk) (Finding, error) {
	a, f, err := d.answers(1, facts.Text{}, frontsAsked...)
	if err != nil || f.State != Done {
		return f, err
	}
	for _, name := range frontsAsked {
		said, ok := parseAmount(a[name])
		if !ok || said.least == 0 {
			return lacks("words", facts.T("workshop.no-limit-nor-number", clip(a[name]), name)), nil
		}
		limit, err := probe.RequestLimit(ctx, d.target(name), said.asks(), d.topology(name).Limit)
		if err != nil {
			return Finding{}, err
		}
		if f := judgeClaim(a[name], name, d.topology(name).Drains, limit); f.State != Done {
			return f, nil
		}
	}
	return done(facts.T("workshop.same-at-all-fronts")), nil
}

// asks returns how many requests on one connection decide about a claim.
func (c amount) asks() int {
	if c.open {
		return int(min(c.least+1, mostAsked))
	}
	return int(min(c.least+10, mostAsked))
}

// judgeClaim compares what a learner says that one connection gets with what the server does.
func judgeClaim(said, name string, drains bool, limit facts.Limit) Finding {
	c, _ := parseAmount(said)
	said = clip(said)
	if limit.Effective == nil {
		sent := limit.ProbedRequests
		return first(
			rule{!c.open && c.least >= mostAsked-10, "from-a-file",
				facts.T("workshop.not-confirmed", said, name, sent)},
			rule{!c.open, "wrong", facts.T("workshop.ended-after-none", name, sent, said)},
			rule{c.least <= leastAsked, "not-far-enough", facts.T("workshop.too-few-to-find", said, name)},
		)
	}
	got := int64(*limit.Effective)
	return first(
		rule{c.open && c.least > got, "beyond-the-limit", facts.T("workshop.ends-before", name, said)},
		rule{!c.open && c.least == got && drains, "at-least", facts.T("workshop.announces-end", name, said)},
		rule{c.open != drains || c.least != got, "wrong", facts.T("workshop.not-what-one-gets", said, name)},
	)
}

package workshop

import (
	"context"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

// mostAsked is how many requests the check sends on one connection to find a limit, one more than
// `h2lab probe` sends on loopback.
const mostAsked = 20_001

// leastAsked is the least N that a claim of "more than N" must name: nginx's default limit is 1000.
const leastAsked = 1000

// The states of exercise 1.
const (
	statesOpen    State = "open"
	statesWords   State = "words"
	statesWrong   State = "wrong"
	statesFile    State = "from-a-file"
	statesNear    State = "not-far-enough"
	statesNoLimit State = "beyond-the-limit"
	statesAtLeast State = "at-least"
)

// topologies is exercise 1: how many requests does one HTTP/2 connection get?
func topologies() Exercise {
	return Exercise{
		Number: 1, Name: "topologies", Files: []string{answersFile}, NeedsLab: true,
		Check: checkTopologies,
	}
}

// frontsAsked are the keys of exercise 1 and the topologies that they name.
var frontsAsked = []string{lowNginx, highNginx, lowEnvoy, direct}

func checkTopologies(ctx context.Context, d *Desk) (Finding, error) {
	a, err := d.answers(1, frontsAsked...)
	if err != nil {
		return Finding{}, err
	}
	if open := a.open(frontsAsked...); len(open) > 0 {
		return lacks(statesOpen, "%s has no answer for %s", shown(1, answersFile), strings.Join(open, ", ")), nil
	}
	for _, name := range frontsAsked {
		said, ok := parseClaim(a[name])
		if !ok {
			return lacks(statesWords, "%s for %s is neither a limit nor a number of requests sent", clip(a[name]), name), nil
		}
		limit, err := probe.RequestLimit(ctx, d.target(name), said.asks(), d.topology(name).Limit)
		if err != nil {
			return Finding{}, err
		}
		if f := said.judge(name, d.topology(name).Drains, limit); f.State != Done {
			return f, nil
		}
	}
	return done("the probe finds the same at all four fronts"), nil
}

// claim is an answer about a limit: what one connection gets.
type claim struct {
	amount
	text string
}

// parseClaim reads an answer; a limit of 0 is none.
func parseClaim(s string) (claim, bool) {
	a, ok := parseAmount(s)
	return claim{a, s}, ok && (a.open && a.least > 0 || a.most > 0)
}

// asks returns how many requests on one connection decide about a claim.
func (c claim) asks() int {
	if c.open {
		return int(min(c.least+1, mostAsked))
	}
	return int(min(c.most+10, mostAsked))
}

// judge compares a claim with what the server does.
func (c claim) judge(name string, drains bool, limit facts.Limit) Finding {
	if limit.Effective == nil {
		return c.judgeUnlimited(name, limit.ProbedRequests)
	}
	got := int64(*limit.Effective)
	switch {
	case c.open && c.least > got:
		return lacks(statesNoLimit, "a connection to %s ends before it gets as many requests as in %s", name, clip(c.text))
	case c.exact() && c.least == got && drains:
		return lacks(statesAtLeast, "%s announces the end at that request and answers some that come later, so %s isn't "+
			"what every connection gets", name, clip(c.text))
	case c.exact() && c.least == got, c.open && c.least == got && drains:
		return done("")
	}
	return lacks(statesWrong, "%s for %s is not what one connection gets", clip(c.text), name)
}

// judgeUnlimited judges a claim about a server that ended no connection.
func (c claim) judgeUnlimited(name string, asked int) Finding {
	switch {
	case c.exact() && c.least >= mostAsked-10:
		return lacks(statesFile, "%s for %s is not confirmed: one connection got %d requests and did not end", clip(c.text),
			name, asked)
	case !c.open:
		return lacks(statesWrong, "%s got %d requests on one connection and ended it after none of them, so %s "+
			"is not its limit", name, asked, clip(c.text))
	case c.least <= leastAsked:
		return lacks(statesNear, "%s requests are too few to find a limit of %s", clip(c.text), name)
	}
	return done("")
}

package workshop

import (
	"context"
	"strconv"
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
)

// topologies is exercise 1: how many requests does one HTTP/2 connection get?
func topologies() Exercise {
	return Exercise{
		Number: 1, Name: "topologies", Files: []string{answersFile}, NeedsLab: true,
		Check: checkTopologies,
		Hints: map[State]Hints{
			stateFormat: formatHints,
			statesOpen: {
				"the question is about one connection, so the client must stay on it; most clients silently open " +
					"another",
				"chapter 1 has a tool of the lab that sends requests on one connection until the server ends it; " +
					"run it on the front without an answer",
				"its report has a line that begins with limit: the limit, or the number of requests sent without " +
					"reaching one",
			},
			statesWords: {
				"an answer is the limit that you reached, or the number of requests that you sent without " +
					"reaching one",
				"there are three forms: a number; \"more than\" and a number; a number and \"or more\"",
				"look at the comment at the top of the file: it shows each form once",
			},
			statesWrong: {
				"the measured limit differs from the one in your file: probe this front again",
				"check the port: docs/architecture.md lists them, and two of the fronts are nginx",
				"the request that reaches the limit is still answered, so it counts; the last-stream-id is not " +
					"the number of requests, since clients use only odd ids",
			},
			statesFile: {
				"does your number come from a measurement or from a configuration file?",
				"if you have not reached a limit, you only know how many requests one connection got",
				"write how many requests you sent on the connection before you stopped: \"more than\" or \"or more\"",
			},
			statesNear: {
				"a few requests don't show a limit: how many did you send?",
				"servers that end connections do so after a hundred or a thousand requests; go well beyond that",
				"by default the lab's tool sends enough on loopback; the line about the limit has the number",
			},
			statesNoLimit: {
				"the server ended this connection before it got as many requests as your answer",
				"your client may have opened a second connection and continued there, as most clients do",
				"use the tool that stays on one connection and reports its end",
			},
		},
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
		asked := min(said.n+1, mostAsked)
		if said.form == exactly {
			asked = min(said.n+10, mostAsked)
		}
		limit, err := probe.RequestLimit(ctx, d.target(name), int(asked), topology(name).Limit)
		if err != nil {
			return Finding{}, err
		}
		if f := said.judge(name, limit); f.State != Done {
			return f, nil
		}
	}
	return done("the probe finds the same at all four fronts"), nil
}

// The forms of a claim about a limit.
type form int

const (
	exactly form = iota
	moreThan
	orMore
)

// claim is a parsed answer about a limit.
type claim struct {
	form form
	n    int64
}

// parseClaim reads "100", "more than 20000" (or "> 20000") and "100 or more".
func parseClaim(s string) (claim, bool) {
	c := claim{}
	for _, x := range []struct {
		word string
		form form
	}{{"more than", moreThan}, {">=", orMore}, {"≥", orMore}, {">", moreThan}, {"at least", orMore}} {
		if rest, ok := strings.CutPrefix(s, x.word); ok {
			s, c.form = rest, x.form
			break
		}
	}
	for _, word := range []string{"or more", "+"} {
		if rest, ok := strings.CutSuffix(s, word); ok && c.form == exactly {
			s, c.form = rest, orMore
		}
	}
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "requests"))
	n, ok := number(s)
	c.n = n
	return c, ok && n > 0 && n <= 1<<40
}

// judge compares a claim with what the server does.
func (c claim) judge(name string, limit facts.Limit) Finding {
	asked := limit.ProbedRequests
	switch {
	case limit.Effective == nil && c.form == exactly && c.n < mostAsked-10:
		return lacks(statesWrong, "%s got %d requests on one connection and ended it after none of them, so %d "+
			"is not its limit", name, asked, c.n)
	case limit.Effective == nil && c.form == exactly:
		return lacks(statesFile, "%d for %s is not confirmed: one connection got %d requests and did not end", c.n,
			name, asked)
	case limit.Effective == nil && c.form == orMore:
		return lacks(statesWords, "no limit was reached at %s, so the answer is the number of requests that you "+
			"sent", name)
	case limit.Effective == nil && c.n < leastAsked:
		return lacks(statesNear, "%d requests are too few to find a limit of %s", c.n, name)
	case limit.Effective == nil:
		return done("")
	case c.form == moreThan:
		return lacks(statesNoLimit, "a connection to %s ends before it gets more than %d requests", name, c.n)
	case int64(*limit.Effective) != c.n, c.form == orMore && !topology(name).Drains:
		return lacks(statesWrong, "%s for %s is not what one connection gets", c, name)
	}
	return done("")
}

func (c claim) String() string {
	n := clip(strconv.FormatInt(c.n, 10))
	return map[form]string{exactly: n, moreThan: "more than " + n, orMore: n + " or more"}[c.form]
}

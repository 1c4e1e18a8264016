package workshop

import (
	"context"
	"path/filepath"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

// The states of exercise 10.
const (
	mysteryBegins State = "begins"
	mysteryOpen   State = "open"
	mysteryLimit  State = "limit"
	mysteryFamily State = "family"
	mysteryChange State = "change"
)

var mysteryKeys = []string{"limit", "family", "change"}

// The values of a limit's closing field (how a connection was ended), which tell the two families
// apart whatever a header claims.
const (
	oneStage  = "goaway"
	twoStages = "goaway-two-stage"
)

// families maps each way of ending a connection to the server that uses it and its directive for
// the limit.
var families = map[string]struct{ name, setting string }{
	oneStage:  {string(facts.Nginx), "keepalive_requests"},
	twoStages: {string(facts.Envoy), "max_requests_per_connection"},
}

// unknown is exercise 10: diagnose an unknown server.
func unknown() Exercise {
	return Exercise{
		Number: 10, Name: "unknown", Files: []string{answersFile},
		Check: checkUnknown,
		Hints: map[State]Hints{
			stateFormat: formatHints,
			mysteryBegins: {
				"an address and an authority that signed its certificate are all that you need",
				"one verb of the lab asks a server of which nothing is known; chapter 10 is about it",
				"its report says the limit, whom the server behaves like, and what to write where: those are the " +
					"three answers",
			},
			mysteryOpen: {
				"the server is up and waits for your questions",
				"ask it as you would ask one in production, with the lab's authority to trust",
				"three lines of the report are asked for: the limit, who this is, and the change",
			},
			mysteryLimit: {
				"the limit is how many requests one connection gets before its end is announced",
				"a server that drains serves some more: the least that a connection was seen to get is its limit",
				"was another mystery server up when you found that number? each has a limit of its own",
			},
			mysteryFamily: {
				"don't ask what it calls itself, ask how it ends a connection",
				"how many times does it say GOAWAY, and what becomes of the requests on their way?",
				"chapter 7 set the two families beside each other: one stage or two",
			},
			mysteryChange: {
				"each family has a word of its own for the limit",
				"the report proposes changes: take the one for the family that you named",
				"it is the name of the setting that is asked for, as it stands in that family's configuration",
			},
		},
	}
}

func checkUnknown(ctx context.Context, d *Desk) (Finding, error) {
	a, err := d.answers(10, mysteryKeys...)
	if err != nil {
		return Finding{}, err
	}
	m, err := FindMystery(d.Root)
	if err != nil {
		return Finding{}, err
	}
	if m == nil {
		if m, err = StartMystery(ctx, d.Root, d.MysteryHolder); err != nil {
			return Finding{}, err
		}
		return lacks(mysteryBegins,
			"a mystery server has just been started at %s and stays up to %d minutes: find out what %s asks", m.URL,
			int(MysteryLife.Minutes()), shown(10, answersFile)), nil
	}
	if open := a.open(mysteryKeys...); len(open) > 0 {
		return lacks(mysteryOpen, "the mystery server is at %s, and %s has no answer for %s", m.URL,
			shown(10, answersFile), strings.Join(open, ", ")), nil
	}
	limit, err := probe.RequestLimit(ctx, probe.Target{
		Addr:   m.Addr,
		CAFile: filepath.Join(d.Root, caFile),
	}, mostMystery+10, 0)
	if err != nil {
		return Finding{}, err
	}
	f := judgeUnknown(a, limit)
	if f.State == Done {
		_, err = StopMystery(ctx, d.Root)
	}
	return f, err
}

// judgeUnknown compares the answers with what the server does.
func judgeUnknown(a answers, limit facts.Limit) Finding {
	family := families[limit.Closing]
	n, ok := number(a["limit"])
	switch {
	case !ok || limit.Effective == nil || n != int64(*limit.Effective):
		return lacks(mysteryLimit, "%s is not the limit that this server shows on the wire", clip(a["limit"]))
	case !strings.Contains(a["family"], family.name) || family.name == "":
		return lacks(mysteryFamily,
			"the limit is right, and a server of the family %s doesn't end its connections as this one does",
			clip(a["family"]))
	case !strings.Contains(a["change"], family.setting):
		return lacks(mysteryChange, "limit and family are right, and %s is not that family's word for the limit",
			clip(a["change"]))
	}
	return done("the server ends its connections after %d requests as %s does, and %s is what to change; it has been "+
		"stopped", n, family.name, family.setting)
}

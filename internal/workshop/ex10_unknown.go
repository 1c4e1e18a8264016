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
				"you need only an address and the authority that signed its certificate",
				"one verb of the lab probes an unknown server; chapter 10 uses it",
				"its report has the limit, the server's family and the setting to change: these are the three " +
					"answers",
			},
			mysteryOpen: {
				"the server is up and ready for your probe",
				"probe it like a server in production, with the lab's certificate authority",
				"you need three lines of the report: the limit, the family, and the change",
			},
			mysteryLimit: {
				"the limit is the number of requests on one connection before the server announces its end",
				"a server that drains serves some more: its limit is the smallest number that a connection got",
				"did you measure another mystery server? each has its own limit",
			},
			mysteryFamily: {
				"ignore the server's name, and look at how it ends a connection",
				"how many GOAWAYs does it send, and what happens to the requests in flight?",
				"chapter 7 compares the two families: one stage or two",
			},
			mysteryChange: {
				"each family has its own name for the limit",
				"the report proposes changes: take the one for the family that you named",
				"the answer is the name of the setting in that family's configuration",
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
			"a mystery server has just been started at %s and stays up to %d minutes: answer the questions in %s", m.URL,
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
		return lacks(mysteryLimit, "%s is not the limit of this server", clip(a["limit"]))
	case !strings.Contains(a["family"], family.name) || family.name == "":
		return lacks(mysteryFamily,
			"the limit is right, but a server of the family %s doesn't end connections like this one",
			clip(a["family"]))
	case !strings.Contains(a["change"], family.setting):
		return lacks(mysteryChange, "limit and family are right, but %s is not that family's name for the limit",
			clip(a["change"]))
	}
	return done("the server ends its connections after %d requests like %s, and %s is the setting to change; the "+
		"server has been stopped", n, family.name, family.setting)
}

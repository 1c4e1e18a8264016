package workshop

import (
	"context"
	"path/filepath"
	"regexp"
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
	n, ok := parseAmount(a["limit"], ofRequests)
	got := int64(0)
	if limit.Effective != nil {
		got = int64(*limit.Effective)
	}
	// A server that announces its end serves some more requests.
	atLeast := limit.Closing == twoStages && n.open
	switch {
	case !ok || got == 0 || n.least != got || !n.exact() && !atLeast:
		return lacks(mysteryLimit, "%s is not the limit of this server", clip(a["limit"]))
	case family.name == "" || namedFamily(a["family"]) != family.name:
		return lacks(mysteryFamily,
			"the limit is right, but a server of the family %s doesn't end connections like this one",
			clip(a["family"]))
	case namedSetting(a["change"]) != family.setting:
		return lacks(mysteryChange, "limit and family are right, but %s is not that family's name for the limit",
			clip(a["change"]))
	}
	return done("the server ends its connections after %d requests like %s, and %s is the setting to change; the "+
		"server has been stopped", got, family.name, family.setting)
}

// products maps the words for a server to its family. Products built on a server end their connections
// as it does (internal/field/family).
var products = map[string]*regexp.Regexp{
	string(facts.Nginx): regexp.MustCompile(`\b(?:nginx|openresty|ingress[- ]nginx|kong|tengine|angie|freenginx)\b`),
	string(facts.Envoy): regexp.MustCompile(`\b(?:envoy|istio|contour|emissary|ambassador|gloo|consul connect|app mesh)\b`),
}

// notThis matches a denial with what it denies; wouldBe what another server would do.
var (
	notThis = regexp.MustCompile(`\b(?:not|isn't|no|never|instead of|rather than|unlike|than|anything but|\w*n't)` +
		`(?: (?:a|an|the|like|by|behave like|touch|change|set|raise|use|be|because of))* [a-z_-]+`)
	wouldBe = regexp.MustCompile(`\b(?:nginx|envoy)(?: (?:would|sends?|does|has|announces|会)\b| ?会)[^,;.]*`)
)

// namedFamily returns the only family that an answer names, or "".
func namedFamily(s string) string {
	s = wouldBe.ReplaceAllString(notThis.ReplaceAllString(plain(s), " "), " ")
	named := ""
	for family, words := range products {
		switch {
		case !words.MatchString(s):
		case named != "":
			return ""
		default:
			named = family
		}
	}
	return named
}

// wrongChange matches a change that makes the fault worse, or one in a place that HTTP/2 doesn't read (chapter 6).
var (
	wrongChange = regexp.MustCompile(`\blower(?:ing)? (?:the |its |your )?(?:keep|max|setting|value|it\b)|\b(?:make|set|turn)\b[^,;.]*\b(?:lower|down)\b|` +
		`\b(?:reduc|decreas|shrink|halv|cut)\w*\b|\bsmaller\b|调小|降低|减小|调低|减少|改小|^(?:none|nothing|no change)\b|\bis (?:fine|ok|right)\b|(?:不用|不需要|无需)改|` +
		`\blocation\b`)
	notInLocation = regexp.MustCompile(`\b(?:not|never|outside|without|out of)(?: in| inside)?(?: of)?(?: the| a| any)? location\b|` +
		`\b(?:server|http)(?: block| section)?\W* not[^,;.]*location\b|(?:不在|不是|别放在|而不是|not) ?(?:在 ?)?location`)
)

// namedSetting returns the only family's setting that an answer names, or "".
func namedSetting(s string) string {
	s = plain(s)
	if wrongChange.MatchString(notInLocation.ReplaceAllString(s, " ")) {
		return ""
	}
	s = strings.ReplaceAll(s, "keep-alive-requests", "keepalive-requests") // ingress-nginx's ConfigMap
	s = regexp.MustCompile(`[ _-]+`).ReplaceAllString(notThis.ReplaceAllString(s, " "), "_")
	named := ""
	for _, family := range families {
		switch {
		case !strings.Contains(s, family.setting):
		case named != "":
			return ""
		default:
			named = family.setting
		}
	}
	return named
}

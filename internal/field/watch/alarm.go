package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

// Rule defines when connections count as wasted.
type Rule struct {
	// Limit is the server's request limit per connection; 0 means unknown.
	Limit int64
	// MinRatio is the minimum number of requests per new connection.
	MinRatio float64
	// MinNew is how many new connections a window must have for the ratio to count.
	MinNew int64
	Window time.Duration
}

const (
	// UsualWindow covers several renewals under load.
	UsualWindow = 30 * time.Second
	// UsualMinNew is more than one connection per second over UsualWindow: fewer are hardly a load.
	UsualMinNew = 40
	// ratioOfLimit separates what was measured with nginx's limit of 1000: pools that stampede had
	// 10 to 11 % of the limit (10 requests in flight) and 1 to 2 % (50 to 200); HTTP/1.1 over 100
	// connections had 22 %, 100 separate HTTP/2 clients 92 %.
	ratioOfLimit = 0.2
	// UsualRatio is for a server with an unknown limit: stampedes at 50 requests in flight and more
	// had 12 to 21 requests per connection.
	UsualRatio = 25
	// clearAbove is the hysteresis: an alarm clears well above the ratio that raised it.
	clearAbove = 1.5
)

// Complete fills in the defaults.
func (r Rule) Complete() Rule {
	r.Window, r.MinNew = cmp.Or(max(0, r.Window), UsualWindow), cmp.Or(max(0, r.MinNew), UsualMinNew)
	if r.MinRatio <= 0 {
		r.MinRatio = UsualRatio
		if r.Limit > 0 {
			r.MinRatio = ratioOfLimit * float64(r.Limit)
		}
	}
	return r
}

// difference is what happened between two readings.
type difference struct {
	at            time.Time // of the later reading
	took          time.Duration
	new, requests int64
}

// alarm judges a series of differences. It uses only their times.
type alarm struct {
	rule   Rule
	window []difference
	bad    int // consecutive differences with a bad window
	raised bool
}

// Evidence is the window that raised or cleared an alarm.
type Evidence struct {
	Seconds  float64  `json:"seconds"`
	New      int64    `json:"new"`
	Requests int64    `json:"requests"`
	PerNew   *float64 `json:"requests_per_new"`
	MinRatio float64  `json:"min_ratio"`
	// Expected is how many new connections the limit alone requires; null without a limit.
	Expected *int64 `json:"expected"`
}

// inARow is how many consecutive bad windows raise an alarm, so that one late reading doesn't.
const inARow = 2

// add processes a difference and reports whether the alarm changed.
func (a *alarm) add(d difference) (changed bool, e Evidence) {
	a.window = append(a.window, d)
	for len(a.window) > 1 && d.at.Sub(a.window[0].at) >= a.rule.Window {
		a.window = a.window[1:]
	}
	e = a.evidence()
	bad := e.Seconds >= a.rule.Window.Seconds()/2 && e.New >= a.rule.MinNew &&
		float64(e.Requests) < a.rule.MinRatio*float64(e.New)
	good := e.New < a.rule.MinNew/2 || float64(e.Requests) >= clearAbove*a.rule.MinRatio*float64(e.New)
	if bad {
		a.bad++
	} else {
		a.bad = 0
	}
	switch {
	case !a.raised && a.bad >= inARow, a.raised && good:
		a.raised, a.bad = !a.raised, 0
		return true, e
	}
	return false, e
}

// forget empties the window: counts from before a restart, or from before the server was
// unreachable, are obsolete. A raised alarm stays.
func (a *alarm) forget() { a.window, a.bad = nil, 0 }

func (a *alarm) evidence() Evidence {
	e := Evidence{MinRatio: a.rule.MinRatio}
	for _, d := range a.window {
		e.Seconds += d.took.Seconds()
		e.New += d.new
		e.Requests += d.requests
	}
	e.PerNew = ratio(e.Requests, e.New)
	if a.rule.Limit > 0 {
		expected := int64(math.Ceil(float64(e.Requests) / float64(a.rule.Limit)))
		e.Expected = &expected
	}
	return e
}

func ratio(requests, fresh int64) *float64 {
	if fresh <= 0 {
		return nil
	}
	v := float64(requests) / float64(fresh)
	return &v
}

// text describes the window.
func (e Evidence) text() facts.Text {
	args := []any{text.Count(e.New), facts.T("watch.requests", text.Count(e.Requests)), text.Whole(e.Seconds)}
	out := facts.T("watch.window", args...)
	if e.PerNew != nil {
		out = facts.T("watch.window-each", append(args, text.Measured(*e.PerNew))...)
	}
	if e.Expected != nil {
		out = facts.Join("join.semicolon", out, facts.T("watch.limit-requires", text.Count(*e.Expected)))
	}
	return out
}

// String is the window in English, for an error.
func (e Evidence) String() string { return texts.English.In(e.text()) }

// The causes of the connections' ends, as far as counters show them.
const (
	ByLimit   = "limit"
	ByAge     = "age"
	ByBoth    = "limit-and-age"
	ByIdle    = "idle"
	NotServer = "not-the-server" // its counters exclude its own limits
	Unknown   = "unknown"
)

// idleShare is the share of new connections from which on idle ends are the cause.
const idleShare = 0.5

// cause derives what ends the connections from the counters of their ends.
func (s *Summary) cause() string {
	if s.AtLimit == nil || s.AtAge == nil {
		return Unknown
	}
	switch limit, age := *s.AtLimit > 0, *s.AtAge > 0; {
	case limit && age:
		return ByBoth
	case limit:
		return ByLimit
	case age:
		return ByAge
	case s.Idle != nil && float64(*s.Idle) >= idleShare*float64(s.New):
		return ByIdle
	}
	return NotServer
}

// servers are the names of package cure, by kind of page.
var servers = map[string]string{StubStatus: cure.Nginx, NginxExporter: cure.Nginx, Ingress: cure.IngressNginx,
	EnvoyStats: cure.Envoy, EnvoyMetrics: cure.Envoy}

// conclude adds cause, change and next step to the summary.
func (w *watching) conclude() {
	s, server := &w.summary, servers[w.source.kind]
	s.Changes = []cure.Change{}
	c := s.cause()
	if s.Alarms == 0 && c != ByLimit && c != ByBoth { // a limit is worth a change before it wastes connections
		longer := fmt.Sprintf("%s --for %v", w.o.Again, max(10*time.Minute, 4*w.o.For))
		s.Next = sentence("join.remark", longer, facts.T("watch.for-longer"))
		if s.perhaps = w.perhaps(); s.perhaps {
			limited := fmt.Sprintf("%s --limit %d --for %v", w.o.Again, usualLimit, cmp.Or(w.o.For, 10*time.Minute))
			s.Next = sentence("join.remark", limited, facts.T("watch.if-default"))
		}
		return
	}
	limit := int(w.o.Rule.Limit)
	byLimit, byAge := cure.RequestLimit(server, limit, false), cure.Age(server)
	if s.Cause = c; c == Unknown && limit == 0 {
		byLimit = nil
	}
	s.Changes = append(s.Changes, map[string][]cure.Change{ByLimit: byLimit, Unknown: byLimit, ByAge: byAge,
		ByBoth: slices.Concat(byLimit, byAge), ByIdle: cure.Idle(server)}[c]...)
	switch {
	case c == Unknown && server == cure.Nginx:
		s.Next = sentence("join.remark", "h2lab logs /var/log/nginx/access.log", facts.T("watch.why"))
	case server == cure.Envoy:
		s.Next = texts.Sentence(facts.Verbatim(cure.EnvoyAt(w.source.host())))
	default:
		s.Next = texts.Sentence(facts.Verbatim(cure.Show(server)))
	}
}

// usualLimit is nginx's default since 1.19.10.
const usualLimit = 1000

var atUsualLimit = Rule{Limit: usualLimit}.Complete()

// perhaps reports whether the worst window would be an alarm if nginx had its default limit, which the user didn't
// name.
func (w *watching) perhaps() bool {
	worst, rule := w.summary.Worst, w.alarm.rule
	return servers[w.source.kind] != cure.Envoy && rule.Limit == 0 && rule.MinRatio == UsualRatio && worst != nil &&
		worst.New >= rule.MinNew && worst.PerNew != nil && *worst.PerNew < atUsualLimit.MinRatio
}

// says is the cause in a sentence.
func (s *Summary) says(r Rule) facts.Text {
	count := func(key string, n *int64) facts.Text {
		if n == nil {
			return facts.Text{}
		}
		return facts.T(key, text.Count(*n))
	}
	unknown := facts.T("watch.not-shown")
	if len(s.Changes) > 0 {
		unknown = facts.Join("join.sentences", unknown, facts.T("watch.if-exactly", text.Count(r.Limit)))
	}
	return map[string]facts.Text{
		ByLimit:   facts.T("watch.by-limit", count("watch.requests", s.AtLimit)),
		ByAge:     facts.T("watch.by-age", count("watch.connections", s.AtAge)),
		ByBoth:    facts.T("watch.by-both", count("watch.requests", s.AtLimit), count("watch.connections", s.AtAge)),
		ByIdle:    facts.T("watch.by-idle", count("watch.connections", s.Idle)),
		NotServer: facts.T("watch.not-server"), Unknown: unknown,
	}[s.Cause]
}

// Command is the command line of a watch, without its duration.
func Command(url string, t Trust, o Options) string {
	words := "h2lab watch " + text.ShellWord(url)
	for _, f := range []struct {
		given bool
		words string
	}{
		{o.Rule.Limit > 0, fmt.Sprint("--limit ", o.Rule.Limit)}, {o.Rule.MinRatio > 0, fmt.Sprint("--min-ratio ", o.Rule.MinRatio)},
		{o.Rule.MinNew != UsualMinNew, fmt.Sprint("--min-new ", o.Rule.MinNew)},
		{o.Rule.Window != UsualWindow, fmt.Sprint("--window ", o.Rule.Window)},
		{t.CAFile != "", "--ca " + text.ShellWord(t.CAFile)}, {t.Insecure, "--insecure"},
	} {
		if f.given {
			words += " " + f.words
		}
	}
	return words
}

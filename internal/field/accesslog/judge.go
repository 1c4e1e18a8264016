package accesslog

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

// The verdicts.
const (
	Stampede     = "limit-stampede" // connections end at the limit, and each end costs several new ones
	AtLimit      = "limit"          // connections end at the limit, with one new connection each
	PerhapsIt    = "limit-perhaps-stampede"
	SlowLimit    = "limit-slow"        // at the limit, but so rarely that it does no harm
	SameCount    = "limit-or-clients"  // at one number of requests, and the log can't say by whom
	ClientsStop  = "clients-stop"      // at one number of requests, by their clients
	Aged         = "age"               // at an age
	CountOrAge   = "limit-or-age"      // at an age or at a limit
	Reloaded     = "reload"            // together, at a reload or a restart
	Idled        = "idle"              // after a silence
	Empties      = "empty-connections" // most connections carry nothing
	MaybeEmpty   = "maybe-empty"       // most serials have no line, and the log can't say whose they are
	Mixed        = "mixed-servers"     // lines of several servers can't be told apart
	HealthChecks = "health-checks"     // hardly anything but health checks
	Churn        = "churn"             // connections end long before any limit
	OneEach      = "one-request-each"
	Calm         = "calm"
	TooLittle    = "too-little"
)

const (
	leastRequests = 100 // with fewer there is no verdict
	// leastConnections is how many must be new for their mean to count.
	leastConnections = 10
	// wastedEach is wasted connections per renewal. nginx and a pool that dials once per waiting
	// request measured 18 at 10 requests in flight and 48 at 50; a client that dials once has none
	// (measurements of Go's net/http, docs/clients.md).
	wastedEach = 2.0
	// slow is how many seconds a connection must last for its renewal to be harmless: nginx's
	// keepalive_time ends it after an hour anyway.
	slow = 1800.0
	// churning is a mean number of requests: below it, connections are hardly reused.
	churning = 20.0
	// reused is a mean number of requests: above it, an idle time does no harm.
	reused = 100.0
	// mostly is the share of connections from which on the whole is called by them, aSizable the share from
	// which on they are mentioned first.
	mostly, aSizable = 0.5, 0.2
	// briefIdle is the idle time in seconds below which clients that pause lose their connections.
	briefIdle = 60.0
)

// judge derives the verdict from the result alone.
func judge(o *Result) Verdict {
	v := o.verdict()
	if o.checked > 0 && v.ID != HealthChecks {
		v.say(checksText(o))
	}
	v.Changes, v.Next = append([]cure.Change{}, v.Changes...), append([]texts.Sentence{}, v.Next...)
	v.WouldTell = append([]texts.Sentence{}, v.WouldTell...)
	return v
}

// verdictOf begins a verdict with a sentence. Its next step shows the server's settings.
func (o *Result) verdictOf(id string, says ...facts.Text) Verdict {
	return Verdict{ID: id, Says: sentences(says...), Next: sentences(facts.Verbatim(cure.Show(o.Server)))}
}

func (v *Verdict) say(all ...facts.Text) { v.Says = append(v.Says, sentences(all...)...) }

func sentences(all ...facts.Text) []texts.Sentence {
	out := make([]texts.Sentence, len(all))
	for i, t := range all {
		out[i] = texts.Sentence(t)
	}
	return out
}

func (o *Result) verdict() Verdict {
	requests, connections := o.withoutChecks()
	switch {
	case o.Connections > 0 && float64(o.checked) >= mostly*float64(o.Connections) && requests < leastRequests:
		return Verdict{ID: HealthChecks, Next: o.moreOfIt(),
			Says: sentences(checksText(o), facts.T("logs.others-too-few", requestsText(requests)))}
	case o.Requests < leastRequests || connections == 0:
		return Verdict{ID: TooLittle, Says: sentences(facts.T("logs.too-little", requestsText(o.Requests))), Next: o.moreOfIt()}
	}
	l := o.Limit
	if l != nil && l.EndedExactly > 0 {
		switch sizable := float64(l.EndedExactly) >= aSizable*float64(connections); {
		case o.Age != nil: // it explains more than the limit does
			return judgeAge(o)
		case l.EndedBy == byServer:
			return judgeLimit(o)
		case o.Idle != nil && float64(l.Beyond) >= fewBeyond*float64(l.EndedExactly):
			// Clients that pause after as many requests each time: connections with shorter pauses carry more.
			return judgeTime(o)
		case l.EndedBy == byClients && sizable:
			return o.verdictOf(ClientsStop, facts.T("logs.clients-end", connectionsText(l.EndedExactly), l.number()),
				facts.T("logs.would-follow"))
		case l.EndedBy == byUnknown && sizable:
			return judgeSameCount(o)
		}
	}
	return judgeTime(o)
}

// withoutChecks are the requests and connections without those of health checks.
func (o *Result) withoutChecks() (requests, connections uint64) {
	return o.Requests - min(o.checked, o.Requests), o.Connections - min(o.checked, o.Connections)
}

func judgeLimit(o *Result) Verdict {
	l := o.Limit
	v := o.verdictOf(AtLimit, atTheLimit(o))
	if l.UsedUpP50S != nil && *l.UsedUpP50S > slow {
		v.ID = SlowLimit
		v.say(facts.T("logs.each-lasts", lasting(*l.UsedUpP50S)))
		return v
	}
	id, empty := stampede(o.Opened, l.EndedExactly)
	if v.ID = id; !empty.IsZero() {
		v.say(empty)
	}
	v.Changes = cure.RequestLimit(o.Server, int(l.Requests), overHTTP1(o))
	if len(v.Changes) > 0 {
		n := uint64(cure.Requests(int(l.Requests)))
		v.KeepaliveRequests = &n
		v.say(facts.T("logs.lasts-longer", text.Count(n), figures(float64(n)/float64(l.Requests))))
	}
	if v.ID == Stampede || v.ID == PerhapsIt {
		v.Changes = append(v.Changes, cure.OneDial())
	}
	isIt := facts.T("logs.is-it", int(l.Requests))
	if l.Requests == 1000 && o.Server != cure.Unknown { // nginx's since 1.19.10
		isIt = facts.T("logs.is-default")
	}
	v.Next = sentences(facts.T("join.remark", cure.Show(o.Server), isIt))
	if o.again != "" && len(v.Changes) > 0 && !slices.Contains(o.Files, Stdin) {
		v.Next = append(v.Next, texts.Sentence(facts.T("join.remark", o.again, facts.T("logs.after-the-change"))))
	}
	return v
}

// stampede says how many connections without a request each end costs.
func stampede(o *Opened, ended uint64) (id string, says facts.Text) {
	switch least := wastedEach * float64(ended); {
	case o == nil:
		return AtLimit, facts.Text{}
	case o.Steady && float64(o.EmptyAtMost) >= least:
		return AtLimit, facts.T("logs.steady")
	case float64(o.EmptyAtLeast) >= least:
		return Stampede, facts.T("logs.stampede", figures(float64(o.EmptyAtLeast)/float64(ended)))
	case float64(o.EmptyAtMost) >= least:
		return PerhapsIt, facts.T("logs.perhaps-stampede", figures(float64(o.EmptyAtMost)/float64(ended)))
	}
	return AtLimit, facts.T("logs.no-stampede")
}

// overHTTP1 reports whether most requests were sent over HTTP/1.1.
func overHTTP1(o *Result) bool {
	i := slices.IndexFunc(o.Protocols, func(p ProtocolCount) bool { return p.Protocol == HTTP1.String() })
	return i >= 0 && 2*o.Protocols[i].Requests > o.Requests
}

// about formats a time at the log's resolution.
func (l *Limit) about(s float64) facts.Text {
	if s <= l.UsedUpResolutionS {
		return facts.T("logs.under", lasting(l.UsedUpResolutionS))
	}
	return facts.T("logs.about", lasting(s))
}

// number is the limit in a sentence.
func (l *Limit) number() facts.Text {
	if l.UpTo > l.Requests {
		return facts.T("logs.or-more-requests", text.Count(l.Requests))
	}
	return facts.T("logs.exactly-requests", text.Count(l.Requests))
}

func atTheLimit(o *Result) facts.Text {
	l, ended := o.Limit, connectionsText(o.Limit.EndedExactly)
	switch rate, used := l.RenewalsPerMinute, l.UsedUpP50S; {
	case rate != nil && used != nil:
		return facts.T("logs.at-limit-rate-used", ended, l.number(), figures(*rate), l.about(*used))
	case rate != nil:
		return facts.T("logs.at-limit-rate", ended, l.number(), figures(*rate))
	case used != nil:
		return facts.T("logs.at-limit-used", ended, l.number(), l.about(*used))
	}
	return facts.T("logs.at-limit", ended, l.number())
}

func judgeSameCount(o *Result) Verdict {
	l := o.Limit
	if l.AfterSilenceS != nil {
		silent := lasting(*l.AfterSilenceS)
		v := o.verdictOf(SameCount, facts.T("logs.idle-or-clients", connectionsText(l.EndedExactly), l.number(), silent))
		v.WouldTell = sentences(facts.T("logs.whether-idle", silent))
		return v
	}
	says := facts.T("logs.limit-or-clients", connectionsText(l.EndedExactly), l.number())
	if l.Beyond > 0 {
		says = facts.T("logs.limit-of-some", connectionsText(l.EndedExactly), l.number(), facts.T("logs.others", text.Count(l.Beyond)))
	}
	configured := facts.T("logs.whether-configured", int(l.Requests))
	if o.Server == cure.Apache { // MaxKeepAliveRequests 100 ends a connection at its 101st (measured: internal/field/systems)
		configured = facts.T("logs.whether-apache", int(l.Requests)-1)
	}
	v := o.verdictOf(SameCount, says)
	v.WouldTell = sentences(append([]facts.Text{configured, facts.T("logs.probe-asks")}, o.lacks...)...)
	return v
}

// judgeTime looks for a time that ends connections.
func judgeTime(o *Result) Verdict {
	requests, connections := o.withoutChecks()
	mean := float64(requests) / float64(connections)
	switch {
	case o.Age != nil:
		return judgeAge(o)
	case len(o.Reloads) > 0:
		return judgeReloads(o)
	case o.Idle != nil && mean < reused:
		return judgeIdle(o)
	case o.MixedServers:
		return Verdict{ID: Mixed, Says: sentences(facts.T("logs.mixed")),
			WouldTell: sentences(facts.T("logs.hostname"), facts.T("logs.each-server"))}
	}
	return judgeRest(o, mean)
}

func judgeAge(o *Result) Verdict {
	a := o.Age
	connections, of, lasted := text.Count(a.Connections), text.Count(a.Of), fromTo(a.FromS, a.ToS)
	carried := requestsText(uint64(a.Fewest))
	if a.Fewest != a.Most {
		carried = facts.T("logs.requests-from-to", text.Count(a.Fewest), text.Count(a.Most))
	}
	if a.Same {
		v := o.verdictOf(CountOrAge, facts.T("logs.limit-or-age", connections, of, lasted, carried))
		v.WouldTell = sentences(facts.T("logs.another-rate"), facts.T("logs.probe-asks"))
		return v
	}
	v := o.verdictOf(Aged, facts.T("logs.age", connections, of, lasted, carried), facts.T("logs.whose-age"))
	if l := o.Limit; l != nil && l.EndedBy == byServer && l.EndedExactly > 0 {
		v.say(facts.T("logs.ended-instead", facts.T("logs.others", text.Count(l.EndedExactly)), l.number()))
	}
	if a.FromS >= slow {
		v.say(facts.T("logs.rarely"))
		return v
	}
	v.Changes = cure.Age(o.Server)
	if id, says := stampede(o.Opened, a.Connections); id == Stampede {
		v.say(says)
		v.Changes = append(v.Changes, cure.OneDial())
	}
	return v
}

// fromTo formats a range of seconds.
func fromTo(from, to float64) facts.Text {
	a, b := lasting(from), lasting(to)
	if texts.English.In(a) == texts.English.In(b) {
		return a
	}
	return facts.T("logs.from-to", a, b)
}

func judgeReloads(o *Result) Verdict {
	var at []string
	var ended uint64
	for _, r := range o.Reloads {
		ended += r.Connections
		at = append(at, clockTime(r.At))
	}
	const few = 3
	when := facts.Verbatim(strings.Join(at[:min(len(at), few)], ", "))
	if more := len(at) - few; more > 0 {
		when = facts.T("logs.more-times", when, more)
	}
	v := o.verdictOf(Reloaded, facts.T("logs.together", connectionsText(ended), when), facts.T("logs.reload"))
	switch o.Server { // what shows when the server was reloaded
	case cure.Nginx:
		v.Next = sentences(facts.T("join.remark", "grep -nE 'reconfiguring|signal process started' /var/log/nginx/error.log",
			facts.T("logs.at-notice")))
	case cure.IngressNginx:
		v.Next = sentences(facts.T("join.remark", "kubectl get pods --all-namespaces | grep -i nginx", facts.T("logs.then-grep")))
	}
	return v
}

func judgeIdle(o *Result) Verdict {
	i := o.Idle
	v := o.verdictOf(Idled, facts.T("logs.idle", text.Count(i.Connections), text.Count(i.Of), lasting(i.ShortestRenewedS),
		lasting(i.LongestReusedS)), facts.T("logs.whose-idle"))
	if i.ShortestRenewedS < briefIdle {
		v.Changes = cure.Idle(o.Server)
	}
	return v
}

// checksText says which connections are health checks.
func checksText(o *Result) facts.Text {
	c, args := o.HealthChecks[0], []any{text.Count(o.checked), connectionsText(o.Connections)}
	args = append(args, quoted(c.Agent), quoted(c.Request), lasting(c.EveryS))
	if more := len(o.HealthChecks) - 1; more > 0 {
		return facts.T("logs.checks-and-others", append(args, facts.T("logs.others", text.Count(more)))...)
	}
	return facts.T("logs.checks", args...)
}

// moreOfIt is the same question, for more of the log.
func (o *Result) moreOfIt() []texts.Sentence {
	return sentences(facts.T("join.remark", o.again, facts.T("logs.with-older")))
}

func judgeRest(o *Result, mean float64) Verdict {
	_, connections := o.withoutChecks()
	p := o.Opened
	enough := connections >= leastConnections
	switch {
	case p != nil && !p.Steady && float64(p.EmptyAtLeast) >= mostly*float64(p.AtMost):
		v := o.verdictOf(Empties, facts.T("logs.empties", text.Count(p.EmptyAtLeast), text.Count(p.AtMost),
			percent(float64(p.EmptyAtLeast)/float64(p.AtMost)), figures(mean)), facts.T("logs.why-empties"))
		v.WouldTell = sentences(facts.T("logs.whether-checked"), facts.T("logs.watch-shows"))
		v.Changes = []cure.Change{cure.OneDial()}
		return v
	case mean <= 1 && enough:
		return o.verdictOf(OneEach, facts.T("logs.one-each"))
	case mean < churning && enough:
		v := o.verdictOf(Churn, facts.T("logs.churn", figures(mean)), facts.T("logs.why-churn"))
		v.WouldTell = sentences(o.lacks...)
		return v
	case p != nil && float64(p.EmptyAtMost) >= mostly*float64(p.AtMost) && (p.UpstreamAttempts == nil || p.Steady):
		v := o.verdictOf(MaybeEmpty, facts.T("logs.carry", figures(mean)), facts.T("logs.no-line", text.Count(p.EmptyAtMost),
			text.Count(p.AtMost), percent(p.EmptyShare)))
		v.WouldTell = sentences(upstreamsKnown(o.Server), facts.T("logs.one-log"))
		return v
	}
	return judgeCalm(o, mean)
}

func judgeCalm(o *Result, mean float64) Verdict {
	v, p := o.verdictOf(Calm, facts.T("logs.calm", figures(mean))), o.Opened
	switch {
	case o.BeganBefore == nil:
		v.Says = sentences(facts.T("logs.no-limit-shows", figures(mean)), facts.T("logs.no-empties-shown"))
	case p != nil && p.UpstreamAttempts != nil && p.EmptyAtMost > p.AtMost/2:
		v.say(facts.T("logs.upstreams-explain", requestsText(*p.UpstreamAttempts)))
	}
	// The log may be too short to tell a connection that ended from one that is open.
	if o.From == nil || o.Connections == 0 || o.OpenAtEnd < o.Connections {
		return v
	}
	if covers := o.To.Sub(*o.From); covers < o.silence {
		v.say(facts.T("logs.which-ended", lasting(covers.Seconds()), lasting(o.silence.Seconds())))
		v.Next = append(o.moreOfIt(), v.Next...)
	}
	return v
}

// upstreamsKnown is what separates the clients' connections from the server's own.
func upstreamsKnown(server string) facts.Text {
	if server == cure.Nginx {
		return facts.T("logs.upstream-addr")
	}
	return facts.T("logs.no-upstreams")
}

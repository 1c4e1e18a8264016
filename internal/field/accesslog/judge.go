package accesslog

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
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
		v.Says = append(v.Says, checksText(o))
	}
	if v.Changes == nil {
		v.Changes = []cure.Change{}
	}
	if v.WouldTell == nil {
		v.WouldTell = []string{}
	}
	if v.Next == nil {
		v.Next = []string{}
	}
	return v
}

func (o *Result) verdict() Verdict {
	requests, connections := o.withoutChecks()
	switch {
	case o.Connections > 0 && float64(o.checked) >= mostly*float64(o.Connections) && requests < leastRequests:
		return judgeChecks(o)
	case o.Requests < leastRequests || connections == 0:
		return Verdict{ID: TooLittle, Says: []string{
			fmt.Sprintf("Too little to judge: %s.", text.Things(o.Requests, "request")),
		}, Next: o.moreOfIt()}
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
			return judgeClients(o)
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
		return Verdict{ID: Mixed, Says: []string{"Lines of several servers are mixed, so the log can't say which " +
			"requests shared a connection."},
			WouldTell: []string{"$hostname in the log_format", "each server's log by itself"}}
	}
	return judgeRest(o, mean)
}

func each(n, of uint64) float64 { return float64(n) / float64(of) }

func judgeRest(o *Result, mean float64) Verdict {
	_, connections := o.withoutChecks()
	opened := o.Opened
	enough := connections >= leastNew
	switch {
	case opened != nil && !opened.Steady && float64(opened.EmptyAtLeast) >= mostly*float64(opened.AtMost):
		return judgeEmpties(o, mean)
	case mean <= 1 && enough:
		return Verdict{ID: OneEach, Says: []string{
			"Every connection carried one request: keepalive_timeout 0 or keepalive_requests 1 here, or clients that " +
				"ask once and leave."},
			Next: []string{cure.Show(o.Server)}}
	case mean < churning && enough:
		return Verdict{ID: Churn, Says: []string{
			fmt.Sprintf("Connections end early: %s requests each on average, and no common number of requests.",
				figures(mean)),
			"Clients close them, or are idle for longer than the server allows. A higher request limit changes " +
				"nothing here."},
			WouldTell: o.lacks, Next: []string{cure.Show(o.Server)}}
	case opened != nil && float64(opened.EmptyAtMost) >= mostly*float64(opened.AtMost) &&
		(opened.UpstreamAttempts == nil || opened.Steady):
		return judgeMaybeEmpty(o, mean)
	}
	v := Verdict{ID: Calm, Says: []string{
		fmt.Sprintf("Connections carry %s requests each on average, and none ends at a limit.", figures(mean))}}
	switch {
	case o.BeganBefore == nil:
		v.Says = []string{fmt.Sprintf("Connections carry %s requests each on average, and no limit shows.", figures(mean)),
			"This format doesn't show connections without a request."}
	case opened != nil && opened.UpstreamAttempts != nil && opened.EmptyAtMost > opened.AtMost/2:
		v.Says = append(v.Says, fmt.Sprintf("The server's own %s to upstreams explain the serials that have no line.",
			text.Things(*opened.UpstreamAttempts, "request")))
	}
	v.Next = []string{cure.Show(o.Server)}
	if o.endsUnknown() {
		v.Says = append(v.Says, fmt.Sprintf("Which of them ended is not known: the log covers %s, and a connection that is silent "+
			"for less than %s may still be open (--idle).", lasting(o.To.Sub(*o.From).Seconds()), lasting(o.silence.Seconds())))
		v.Next = append(o.moreOfIt(), v.Next...)
	}
	return v
}

// endsUnknown reports a log that is too short to tell a connection that ended from one that is open.
func (o *Result) endsUnknown() bool {
	return o.From != nil && o.To != nil && o.Connections > 0 && o.OpenAtEnd == o.Connections && o.To.Sub(*o.From) < o.silence
}

func judgeLimit(o *Result) Verdict {
	l := o.Limit
	v := Verdict{ID: AtLimit, Says: []string{atTheLimit(o)}}
	if l.UsedUpP50S != nil && *l.UsedUpP50S > slow {
		v.ID = SlowLimit
		v.Says = append(v.Says, fmt.Sprintf("Each lasts for %s, so that does no harm.", lasting(*l.UsedUpP50S)))
		v.Next = []string{cure.Show(o.Server)}
		return v
	}
	var empty string
	if v.ID, empty = stampede(o.Opened, l.EndedExactly); empty != "" {
		v.Says = append(v.Says, empty)
	}
	if l.ShareOfRequests < 0.1 {
		v.Says = append(v.Says,
			fmt.Sprintf("Only %s of the requests were on such connections; the others end earlier.",
				percent(l.ShareOfRequests)))
	}
	v.Changes = cure.RequestLimit(o.Server, int(l.Requests), overHTTP1(o))
	if len(v.Changes) > 0 {
		n := uint64(cure.Requests(int(l.Requests)))
		v.KeepaliveRequests = &n
		v.Says = append(v.Says, fmt.Sprintf("With %s requests a connection lasts %s times as long.", text.Count(n),
			figures(float64(n)/float64(l.Requests))))
	}
	if v.ID == Stampede || v.ID == PerhapsIt {
		v.Changes = append(v.Changes, cure.OneDial())
	}
	v.Next = []string{cure.Show(o.Server) + "   # " + isIt(l.Requests, o.Server)}
	if o.again != "" && len(v.Changes) > 0 && !slices.Contains(o.Files, Stdin) {
		v.Next = append(v.Next, o.again+"   # the same question after the change")
	}
	return v
}

// stampede says how many connections without a request each end costs.
func stampede(o *Opened, ended uint64) (id, says string) {
	switch {
	case o == nil:
		return AtLimit, ""
	case o.Steady && float64(o.EmptyAtMost) >= wastedEach*float64(ended):
		return AtLimit, "Serials without a line grow with time and not with renewals, so they are no stampede: " +
			"virtual hosts that log elsewhere, the server's upstreams, or something that only checks the port."
	case float64(o.EmptyAtLeast) >= wastedEach*float64(ended):
		return Stampede, fmt.Sprintf("It is a stampede: at least %s empty connections for each one that ended. A "+
			"client dials once for each waiting request, uses one connection and drops the others. (Virtual "+
			"hosts that log elsewhere look the same.)", figures(each(o.EmptyAtLeast, ended)))
	case float64(o.EmptyAtMost) >= wastedEach*float64(ended):
		return PerhapsIt, fmt.Sprintf("It may be a stampede: up to %s empty connections for each one that ended. "+
			"The server's own connections to upstreams have serials too.", figures(each(o.EmptyAtMost, ended)))
	}
	return AtLimit, "It is no stampede: hardly any connection carried no request."
}

// overHTTP1 reports whether the connections that ended at the limit speak HTTP/1.1.
func overHTTP1(o *Result) bool {
	var old, all uint64
	for _, p := range o.Protocols {
		if p.EndedAtLimit != nil {
			all += *p.EndedAtLimit
			if p.Protocol == HTTP1.String() {
				old += *p.EndedAtLimit
			}
		}
	}
	return 2*old > all
}

// about formats a time at the log's resolution.
func (l *Limit) about(s float64) string {
	if s <= l.UsedUpResolutionS {
		return "under " + lasting(l.UsedUpResolutionS)
	}
	return "about " + lasting(s)
}

// number is the limit in a sentence.
func (l *Limit) number() string {
	if l.UpTo > l.Requests {
		return fmt.Sprintf("%s requests or slightly more", text.Count(l.Requests))
	}
	return fmt.Sprintf("exactly %s requests", text.Count(l.Requests))
}

func atTheLimit(o *Result) string {
	l := o.Limit
	s := fmt.Sprintf("Connections end at a request limit: %s ended at %s", text.Things(l.EndedExactly, "connection"),
		l.number())
	if l.RenewalsPerMinute != nil {
		s += fmt.Sprintf(", %s a minute", figures(*l.RenewalsPerMinute))
	}
	if l.UsedUpP50S != nil {
		s += fmt.Sprintf(", each after %s", l.about(*l.UsedUpP50S))
	}
	return s + "."
}

// isIt says what the configuration should show. 1000 is nginx's default since 1.19.10.
func isIt(limit uint32, server string) string {
	if limit == 1000 && server != cure.Unknown {
		return "1000 is the default"
	}
	return fmt.Sprintf("is the limit %d? If not, the clients stop at that number", limit)
}

func judgeClients(o *Result) Verdict {
	l := o.Limit
	return Verdict{ID: ClientsStop, Says: []string{
		fmt.Sprintf("The clients end the connections: %s ended at %s, and hardly any client went on with a new one.",
			text.Things(l.EndedExactly, "connection"), l.number()),
		"A server's limit would have a new connection follow at once. A higher limit changes nothing here."},
		Next: []string{cure.Show(o.Server)}}
}

func judgeSameCount(o *Result) Verdict {
	l := o.Limit
	says := fmt.Sprintf("%s ended at %s. Either the server has that limit, or each client sends that many and leaves: "+
		"the log can't tell.", text.Things(l.EndedExactly, "connection"), l.number())
	if l.Beyond > 0 {
		says = fmt.Sprintf("%s ended at %s, and %s carried more. So it is not the whole server's limit: it is one "+
			"server block's, or clients send that many requests and leave.", text.Things(l.EndedExactly, "connection"),
			l.number(), text.Things(l.Beyond, "other"))
	}
	configured := fmt.Sprintf("whether the server's configuration says %d", l.Requests)
	if o.Server == cure.Apache { // MaxKeepAliveRequests 100 ends a connection at its 101st (measured: internal/field/systems)
		configured = fmt.Sprintf("whether MaxKeepAliveRequests is %d: Apache allows one more", l.Requests-1)
	}
	return Verdict{ID: SameCount, Says: []string{says}, WouldTell: append([]string{
		configured,
		"h2lab probe, with the server's address: it asks the server for its limit"}, o.lacks...),
		Next: []string{cure.Show(o.Server)}}
}

func judgeAge(o *Result) Verdict {
	a := o.Age
	v := Verdict{ID: Aged, Next: []string{cure.Show(o.Server)}, Says: []string{
		fmt.Sprintf("Connections end at an age: %s of %s lasted %s, with %s.", text.Count(a.Connections),
			text.Count(a.Of), fromTo(a.FromS, a.ToS), a.requests())}}
	if a.Same {
		v.ID = CountOrAge
		v.Says = []string{fmt.Sprintf("%s of %s connections lasted %s and carried %s. Either an age or a request "+
			"limit ends them: the log can't tell which, since the clients send at the same rate.", text.Count(a.Connections),
			text.Count(a.Of), fromTo(a.FromS, a.ToS), a.requests())}
		v.WouldTell = []string{"the same log with a client at another rate: a limit keeps the number, an age the time",
			"h2lab probe, with the server's address: it asks the server for its limit"}
		return v
	}
	v.Says = append(v.Says, "The server's maximum age, one of a proxy or balancer before it, or the client's own ends "+
		"them. A higher request limit changes nothing here.")
	if l := o.Limit; l != nil && l.EndedBy == byServer && l.EndedExactly > 0 {
		v.Says = append(v.Says, fmt.Sprintf("%s ended at %s instead.", text.Things(l.EndedExactly, "other"), l.number()))
	}
	if a.FromS >= slow {
		v.Says = append(v.Says, "So rarely, that does no harm.")
		return v
	}
	if id, says := stampede(o.Opened, a.Connections); id == Stampede {
		v.Says = append(v.Says, says)
		v.Changes = append(v.Changes, cure.OneDial())
	}
	v.Changes = append(cure.Age(o.Server), v.Changes...)
	return v
}

// requests are the numbers of requests of the connections that lasted that long.
func (a *Age) requests() string {
	if a.Fewest == a.Most {
		return text.Things(a.Fewest, "request")
	}
	return fmt.Sprintf("%s to %s requests", text.Count(a.Fewest), text.Count(a.Most))
}

// fromTo formats a range of seconds.
func fromTo(from, to float64) string {
	if a, b := lasting(from), lasting(to); a != b {
		return a + " to " + b
	}
	return lasting(from)
}

func judgeReloads(o *Result) Verdict {
	var at []string
	var ended uint64
	for _, r := range o.Reloads {
		ended += r.Connections
		at = append(at, clockTime(r.At))
	}
	const few = 3
	if len(at) > few {
		at = append(at[:few], fmt.Sprintf("%d more times", len(o.Reloads)-few))
	}
	return Verdict{ID: Reloaded, Says: []string{
		fmt.Sprintf("Connections ended together, at different numbers of requests: %s, at %s (UTC).",
			text.Things(ended, "connection"), strings.Join(at, ", ")),
		"A reload or a restart of the server, or of a proxy before it, closes every connection at once. Schedule it. " +
			"A higher request limit changes nothing here."},
		Next: []string{reloadsOf(o.Server)}}
}

func judgeIdle(o *Result) Verdict {
	i := o.Idle
	v := Verdict{ID: Idled, Next: []string{cure.Show(o.Server)}, Says: []string{
		fmt.Sprintf("Connections end after a silence: %s of %s new connections followed one of %s or more, and no client "+
			"used a connection again after more than %s.", text.Count(i.Connections), text.Count(i.Of),
			lasting(i.ShortestRenewedS), lasting(i.LongestReusedS)),
		"The server's idle timeout, one of a proxy or balancer before it, or the client's own closes them. A higher " +
			"request limit changes nothing here."}}
	if i.ShortestRenewedS < briefIdle {
		v.Changes = cure.Idle(o.Server)
	}
	return v
}

// checksText says which connections are health checks.
func checksText(o *Result) string {
	c := o.HealthChecks[0]
	s := fmt.Sprintf("%s of the %s are health checks, with one request each and by intention: %q asks %q every %s",
		text.Count(o.checked), text.Things(o.Connections, "connection"), c.Agent, c.Request, lasting(c.EveryS))
	if more := len(o.HealthChecks) - 1; more > 0 {
		s += fmt.Sprintf(", and %s", text.Things(more, "other"))
	}
	return s + "."
}

func judgeChecks(o *Result) Verdict {
	requests, _ := o.withoutChecks()
	return Verdict{ID: HealthChecks, Says: []string{checksText(o),
		fmt.Sprintf("The other %s are too few to judge.", text.Things(requests, "request"))},
		Next: o.moreOfIt()}
}

// moreOfIt is the same question, for more of the log.
func (o *Result) moreOfIt() []string {
	again := o.again
	if again == "" {
		again = "h2lab logs " + strings.Join(o.Files, " ")
	}
	return []string{again + "   # with older files before these, or later"}
}

func judgeEmpties(o *Result, mean float64) Verdict {
	p := o.Opened
	v := Verdict{ID: Empties, WouldTell: []string{
		"whether a balancer checks the port by opening connections: its configuration says how often",
		"h2lab watch, with the address of the server's counters: when are they opened?"},
		Next: []string{cure.Show(o.Server)}, Says: []string{
			fmt.Sprintf("Most connections carry nothing: %s of %s opened had no request (%s). The others carried %s "+
				"requests each on average, and no limit ends them.", text.Count(p.EmptyAtLeast),
				text.Count(p.AtMost), percent(each(p.EmptyAtLeast, p.AtMost)), figures(mean)),
			"Clients dial more often than they need, something only checks the port, or virtual hosts log elsewhere."}}
	v.Changes = []cure.Change{cure.OneDial()}
	return v
}

func judgeMaybeEmpty(o *Result, mean float64) Verdict {
	p := o.Opened
	return Verdict{ID: MaybeEmpty, Says: []string{
		fmt.Sprintf("Connections with a request carry %s each on average, and none ends at a limit.", figures(mean)),
		fmt.Sprintf("But %s of %s serials (%s) have no line: connections without a request, the server's own to "+
			"upstreams, or those of virtual hosts that log elsewhere. The log can't tell.", text.Count(p.EmptyAtMost),
			text.Count(p.AtMost), percent(p.EmptyShare))},
		WouldTell: []string{upstreamsKnown(o.Server), "one access log for all virtual hosts"},
		Next:      []string{cure.Show(o.Server)}}
}

// upstreamsKnown is what separates the clients' connections from the server's own.
func upstreamsKnown(server string) string {
	if server == cure.Nginx {
		return "$upstream_addr in the log_format, or --no-upstreams if nginx has no upstreams"
	}
	return "--no-upstreams, if the server has no upstreams"
}

// reloadsOf is a command that shows when a server was reloaded.
func reloadsOf(server string) string {
	switch server {
	case cure.Nginx:
		return "grep -nE 'reconfiguring|signal process started' /var/log/nginx/error.log   # at level notice"
	case cure.IngressNginx:
		return "kubectl get pods --all-namespaces | grep -i nginx   # then: kubectl logs POD | grep -i reload"
	}
	return cure.Show(server)
}

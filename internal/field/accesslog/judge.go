package accesslog

import (
	"fmt"

	"h2lab/internal/base/numfmt"
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
			fmt.Sprintf("Too little to judge: %s.", numfmt.Things(o.Requests, "request")),
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
			numfmt.Things(*opened.UpstreamAttempts, "request")))
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

package accesslog

import (
	"fmt"
	"math"

	"h2lab/internal/base/numfmt"
)

// The verdicts.
const (
	Stampede  = "limit-stampede" // connections end at the limit, and each end costs several new ones
	AtLimit   = "limit"          // connections end at the limit, with one new connection each
	PerhapsIt = "limit-perhaps-stampede"
	SlowLimit = "limit-slow" // at the limit, but so rarely that it does no harm
	Churn     = "churn"      // connections end long before any limit
	OneEach   = "one-request-each"
	Calm      = "calm"
	TooLittle = "too-little"
)

const (
	leastRequests = 100 // with fewer there is no verdict
	// wastedEach is wasted connections per renewal. nginx and a pool that dials once per waiting
	// request measured 18 at 10 requests in flight and 48 at 50; a client that dials once has none
	// (measurements of Go's net/http, docs/clients.md).
	wastedEach = 2.0
	// slow is how many seconds a connection must last at the limit for renewals to be harmless:
	// nginx's keepalive_time ends it after an hour anyway.
	slow = 1800.0
	// churning is a mean number of requests: below it, connections are hardly reused.
	churning = 20.0
	// mostAdvised limits the advice: nginx frees a connection's memory only at its end
	// (documentation of keepalive_requests).
	mostAdvised  = 1_000_000
	leastAdvised = 10_000
	labsLimit    = 100_000 // enough for the lab's load, as measured
)

// judge derives the verdict from the result alone.
func judge(o *Result) Verdict {
	switch {
	case o.Requests < leastRequests || o.Connections == 0:
		return Verdict{ID: TooLittle, Says: []string{
			fmt.Sprintf("Too little to judge: %s.", numfmt.Things(o.Requests, "request")),
		},
			Change: []string{}, Next: []string{"give more of the log: h2lab logs access.log.1 access.log"}}
	case o.Limit != nil && o.Limit.EndedExactly > 0:
		return judgeLimit(o)
	}
	return judgeRest(o)
}

func judgeLimit(o *Result) Verdict {
	l := o.Limit
	v := Verdict{ID: AtLimit, Says: []string{atTheLimit(o)}, Change: []string{}}
	switch {
	case l.UsedUpP50S != nil && *l.UsedUpP50S > slow:
		v.ID = SlowLimit
		v.Says = append(v.Says, fmt.Sprintf("Each lasts for %s, so that does no harm.", lasting(*l.UsedUpP50S)))
	case o.Opened != nil && float64(o.Opened.EmptyAtLeast) >= wastedEach*float64(l.EndedExactly):
		v.ID = Stampede
		v.Says = append(v.Says,
			fmt.Sprintf("It is a stampede: at least %s empty connections for each one that ended. A client that "+
				"waits on one "+
				"connection dials for every waiting request, keeps one and drops the others.",
				figures(each(o.Opened.EmptyAtLeast, l.EndedExactly))))
	case o.Opened != nil && float64(o.Opened.EmptyAtMost) >= wastedEach*float64(l.EndedExactly):
		v.ID = PerhapsIt
		v.Says = append(v.Says,
			fmt.Sprintf("It may be a stampede: up to %s empty connections for each one that ended, or nginx's own "+
				"to its "+
				"upstreams, which take serials too.", figures(each(o.Opened.EmptyAtMost, l.EndedExactly))))
	case o.Opened != nil:
		v.Says = append(v.Says, "It is no stampede: hardly a connection was opened in vain.")
	}
	if l.ShareOfRequests < 0.1 {
		v.Says = append(v.Says,
			fmt.Sprintf("Only %s of the requests were on such connections; the others end earlier, by their clients "+
				"or keepalive_timeout.", percent(l.ShareOfRequests)))
	}
	if v.ID == SlowLimit {
		v.Next = nextWatch(l.Requests)
		return v
	}
	n := advised(l)
	v.KeepaliveRequests = &n
	v.Change = []string{
		fmt.Sprintf("%-28s # in http{} or server{}: HTTP/2 takes no notice of it in location{}",
			fmt.Sprintf("keepalive_requests %d;", n)),
		fmt.Sprintf("%-28s # bounds a connection's age instead (nginx 1.19.10 and newer)", "keepalive_time 1h;"),
	}
	if v.ID == Stampede || v.ID == PerhapsIt {
		v.Change = append(v.Change,
			"in the client: one dial at a time; Go's net/http: Transport.MaxConnsPerHost = 1 (others: docs/clients.md)")
	}
	v.Says = append(v.Says, whyAdvised(l, n))
	v.Next = append(v.Next, "nginx -T 2>/dev/null | grep -n keepalive_requests   # "+isIt(l.Requests))
	v.Next = append(v.Next, nextWatch(l.Requests)...)
	return v
}

// about formats a time at the log's resolution.
func (l *Limit) about(s float64) string {
	if s <= l.UsedUpResolutionS {
		return "under " + lasting(l.UsedUpResolutionS)
	}
	return "about " + lasting(s)
}

func each(n, of uint64) float64 { return float64(n) / float64(of) }

func atTheLimit(o *Result) string {
	l := o.Limit
	s := fmt.Sprintf("The limit is hit: %s ended at exactly %s requests", numfmt.Things(l.EndedExactly, "connection"),
		numfmt.Count(l.Requests))
	if l.RenewalsPerMinute != nil {
		s += fmt.Sprintf(", %s a minute", figures(*l.RenewalsPerMinute))
	}
	if l.UsedUpP50S != nil {
		s += fmt.Sprintf(", each used up in %s", l.about(*l.UsedUpP50S))
	}
	return s + "."
}

// advised is the limit that the fastest tenth of the connections reaches in an hour, when
// keepalive_time ends them.
func advised(l *Limit) uint64 {
	if l.UsedUpP10S == nil || *l.UsedUpP10S <= 0 {
		return max(labsLimit, uint64(l.Requests)*10)
	}
	need := float64(l.Requests) / *l.UsedUpP10S * 3600
	return uint64(min(mostAdvised, max(leastAdvised, roundUp(need))))
}

// roundUp rounds up to 1, 2 or 5 times a power of ten.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*unit {
			return m * unit
		}
	}
	return 10 * unit
}

func whyAdvised(l *Limit, n uint64) string {
	if l.UsedUpP10S == nil || *l.UsedUpP10S <= 0 {
		return fmt.Sprintf("How fast connections are used up can't be seen here; %s is what sufficed in the lab.",
			numfmt.Count(n))
	}
	rate := float64(l.Requests) / *l.UsedUpP10S
	if *l.UsedUpP10S <= l.UsedUpResolutionS && l.UsedUpResolutionS == 1 {
		return fmt.Sprintf("The fastest carry %s requests a second or more: log $msec to see how fast. More than %s "+
			"keeps memory for long: nginx frees a connection's at its end.",
			figures(rate), numfmt.Count(n))
	}
	if lasts := float64(n) / rate; lasts < 3500 {
		return fmt.Sprintf("The fastest carry %s requests a second; %s of them last for %s. More than that keeps "+
			"memory for long: nginx frees a connection's at its end.",
			figures(rate), numfmt.Count(n), lasting(lasts))
	}
	return fmt.Sprintf("The fastest carry %s requests a second; with %s they last for the hour that keepalive_time "+
		"allows.", figures(rate), numfmt.Count(n))
}

// isIt says what the configuration should show. 1000 is nginx's default since 1.19.10.
func isIt(limit uint32) string {
	if limit == 1000 {
		return "1000 is the default where it isn't set"
	}
	return fmt.Sprintf("does it say %d? If not, it is the clients that stop there", limit)
}

func nextWatch(limit uint32) []string {
	return []string{
		fmt.Sprintf("h2lab watch http://127.0.0.1/stub_status --limit %d   # see it live, before and after", limit),
	}
}

func judgeRest(o *Result) Verdict {
	mean := float64(o.Requests) / float64(o.Connections)
	v := Verdict{Change: []string{}}
	switch {
	case o.PerConnection.Max == 1 && o.Connections >= leastNew:
		v.ID = OneEach
		v.Says = []string{
			"Every connection carried one request: keepalive_timeout 0 or keepalive_requests 1 here, or clients that " +
				"ask once and leave.",
		}
		v.Next = []string{"nginx -T 2>/dev/null | grep -nE 'keepalive_(timeout|requests)'"}
	case mean < churning && o.Connections >= leastNew:
		v.ID = Churn
		v.Says = []string{fmt.Sprintf("It is churn, not a limit: %s requests a connection, and no number at which "+
			"connections end.", figures(mean)),
			"Clients leave, or are idle for longer than keepalive_timeout (75 s). Raising keepalive_requests changes " +
				"nothing here."}
		v.Change = []string{
			"in the client: keep connections open and use them again; in a proxy in front: keepalive in its upstream{}",
		}
		v.Next = []string{"nginx -T 2>/dev/null | grep -n keepalive_timeout"}
	default:
		v.ID = Calm
		v.Says = []string{
			fmt.Sprintf("Connections are used well: %s requests each, and none ends at a limit.", figures(mean)),
		}
		if o.Limit == nil && o.Exactness.Note != "" && o.BeganBefore == nil {
			v.Says = []string{
				fmt.Sprintf("Connections are used well: %s requests each. Envoy's limit is approximate, so none "+
					"shows in a log.", figures(mean)),
			}
		}
		v.Next = []string{"h2lab probe https://HOST/   # asks the server itself for its limit"}
	}
	return v
}

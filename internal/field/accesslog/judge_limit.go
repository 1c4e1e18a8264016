package accesslog

import (
	"fmt"
	"slices"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/field/cure"
)

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
		v.Says = append(v.Says, fmt.Sprintf("With %s requests a connection lasts %s times as long.", numfmt.Count(n),
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
		return fmt.Sprintf("%s requests or slightly more", numfmt.Count(l.Requests))
	}
	return fmt.Sprintf("exactly %s requests", numfmt.Count(l.Requests))
}

func atTheLimit(o *Result) string {
	l := o.Limit
	s := fmt.Sprintf("Connections end at a request limit: %s ended at %s", numfmt.Things(l.EndedExactly, "connection"),
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
			numfmt.Things(l.EndedExactly, "connection"), l.number()),
		"A server's limit would have a new connection follow at once. A higher limit changes nothing here."},
		Next: []string{cure.Show(o.Server)}}
}

func judgeSameCount(o *Result) Verdict {
	l := o.Limit
	says := fmt.Sprintf("%s ended at %s. Either the server has that limit, or each client sends that many and leaves: "+
		"the log can't tell.", numfmt.Things(l.EndedExactly, "connection"), l.number())
	if l.Beyond > 0 {
		says = fmt.Sprintf("%s ended at %s, and %s carried more. So it is not the whole server's limit: it is one "+
			"server block's, or clients send that many requests and leave.", numfmt.Things(l.EndedExactly, "connection"),
			l.number(), numfmt.Things(l.Beyond, "other"))
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

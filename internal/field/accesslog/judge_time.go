package accesslog

import (
	"fmt"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/field/cure"
)

func judgeAge(o *Result) Verdict {
	a := o.Age
	v := Verdict{ID: Aged, Next: []string{cure.Show(o.Server)}, Says: []string{
		fmt.Sprintf("Connections end at an age: %s of %s lasted %s, with %s.", numfmt.Count(a.Connections),
			numfmt.Count(a.Of), fromTo(a.FromS, a.ToS), a.requests())}}
	if a.Same {
		v.ID = CountOrAge
		v.Says = []string{fmt.Sprintf("%s of %s connections lasted %s and carried %s. Either an age or a request "+
			"limit ends them: the log can't tell which, since the clients send at the same rate.", numfmt.Count(a.Connections),
			numfmt.Count(a.Of), fromTo(a.FromS, a.ToS), a.requests())}
		v.WouldTell = []string{"the same log with a client at another rate: a limit keeps the number, an age the time",
			"h2lab probe, with the server's address: it asks the server for its limit"}
		return v
	}
	v.Says = append(v.Says, "The server's maximum age, one of a proxy or balancer before it, or the client's own ends "+
		"them. A higher request limit changes nothing here.")
	if l := o.Limit; l != nil && l.EndedBy == byServer && l.EndedExactly > 0 {
		v.Says = append(v.Says, fmt.Sprintf("%s ended at %s instead.", numfmt.Things(l.EndedExactly, "other"), l.number()))
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
		return numfmt.Things(a.Fewest, "request")
	}
	return fmt.Sprintf("%s to %s requests", numfmt.Count(a.Fewest), numfmt.Count(a.Most))
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
			numfmt.Things(ended, "connection"), strings.Join(at, ", ")),
		"A reload or a restart of the server, or of a proxy before it, closes every connection at once. Schedule it. " +
			"A higher request limit changes nothing here."},
		Next: []string{reloadsOf(o.Server)}}
}

func judgeIdle(o *Result) Verdict {
	i := o.Idle
	v := Verdict{ID: Idled, Next: []string{cure.Show(o.Server)}, Says: []string{
		fmt.Sprintf("Connections end after a silence: %s of %s new connections followed one of %s or more, and no client "+
			"used a connection again after more than %s.", numfmt.Count(i.Connections), numfmt.Count(i.Of),
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
		numfmt.Count(o.checked), numfmt.Things(o.Connections, "connection"), c.Agent, c.Request, lasting(c.EveryS))
	if more := len(o.HealthChecks) - 1; more > 0 {
		s += fmt.Sprintf(", and %s", numfmt.Things(more, "other"))
	}
	return s + "."
}

func judgeChecks(o *Result) Verdict {
	requests, _ := o.withoutChecks()
	return Verdict{ID: HealthChecks, Says: []string{checksText(o),
		fmt.Sprintf("The other %s are too few to judge.", numfmt.Things(requests, "request"))},
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
				"requests each on average, and no limit ends them.", numfmt.Count(p.EmptyAtLeast),
				numfmt.Count(p.AtMost), percent(each(p.EmptyAtLeast, p.AtMost)), figures(mean)),
			"Clients dial more often than they need, something only checks the port, or virtual hosts log elsewhere."}}
	v.Changes = []cure.Change{cure.OneDial()}
	return v
}

func judgeMaybeEmpty(o *Result, mean float64) Verdict {
	p := o.Opened
	return Verdict{ID: MaybeEmpty, Says: []string{
		fmt.Sprintf("Connections with a request carry %s each on average, and none ends at a limit.", figures(mean)),
		fmt.Sprintf("But %s of %s serials (%s) have no line: connections without a request, the server's own to "+
			"upstreams, or those of virtual hosts that log elsewhere. The log can't tell.", numfmt.Count(p.EmptyAtMost),
			numfmt.Count(p.AtMost), percent(p.EmptyShare))},
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

package family

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
)

// limitSentence says what ends the endpoint's connections, and what was seen of it.
func limitSentence(e facts.Endpoint, c cause.Cause) string {
	s := limitOf(e, c)
	if c.Kind == cause.Idle || len(c.Unused) == 0 || slices.Contains(c.Fits, cause.Idle) {
		return s
	}
	return s + fmt.Sprintf(" %s that carried nothing for %s ended earlier.", connections(len(c.Unused)), unusedFor(c))
}

func limitOf(e facts.Endpoint, c cause.Cause) string {
	switch c.Kind {
	case cause.Idle:
		return fmt.Sprintf("No request limit was met: a connection ends when it is unused for %s (%s). One in use got %s.",
			unusedFor(c), connections(len(c.Unused)), requests(c.MostRequests))
	case cause.None:
		return noneMet(e, c)
	case cause.Count:
		if c.Unanswered {
			return fmt.Sprintf("Connections end at request %d, which gets no answer (%s, at different paces). A "+
				"crash or a limit in bytes looks like this.", *c.Requests, connections(len(c.Ends)))
		}
		if len(c.Earlier) > 0 {
			return fmt.Sprintf("A connection gets at most %s (%s); %s ended earlier, after %s, at ages of %s: by a reload, "+
				"an age or chance.", requests(*c.Requests), connections(len(c.Ends)-len(c.Earlier)),
				connections(len(c.Earlier)), counts(c.Earlier), ageList(c.Earlier))
		}
		return fmt.Sprintf("A connection gets exactly %s (%s, at different paces).", requests(*c.Requests),
			connections(len(c.Ends)))
	case cause.Age:
		return fmt.Sprintf("No request limit: connections end at an age of %s, after %s.", ages(c), counts(c.Ends))
	case cause.Several:
		return "Connections differ: " + severalText(c) + ". Several servers may stand behind this address, each with its own " +
			"limit."
	case cause.Failure:
		return failureText(e, c)
	case cause.Neither:
		switch {
		case shared(c):
			return sharedText(c)
		case byTime(c):
			return fmt.Sprintf("No single limit: connections ended after %s, at ages of %s. The counts differ far more than "+
				"the ages, so time ends them: a reload, or an age that varies.", counts(c.Ends), ageList(c.Ends))
		}
		s := fmt.Sprintf("No single limit: connections ended after %s, %s.", counts(c.Ends), passed(c, "one got %s without an end"))
		if someUnused(e) {
			return s + " Ends at random (kube-apiserver's --goaway-chance), a limit in bytes, an idle time-out, a reload or several " +
				"servers look like this."
		}
		return s + " Ends at random (kube-apiserver's --goaway-chance), a limit in bytes, a reload or several servers look like this."
	}
	return unclearText(e, c)
}

// byTime reports ends whose counts differ far more than their ages: a server that ends connections by their
// requests, at random too, leaves one with few of them open.
func byTime(c cause.Cause) bool {
	const enough, far, near = 3, 20, 4
	fewest, most := math.MaxInt, 0
	shortest, longest := math.Inf(1), 0.0
	for _, e := range c.Ends {
		fewest, most = min(fewest, e.Requests), max(most, e.Least)
		shortest, longest = min(shortest, e.Seconds), max(longest, e.Seconds)
	}
	return len(c.Ends) >= enough && most >= far*fewest && longest <= near*shortest && shortest >= 0.5
}

func noneMet(e facts.Endpoint, c cause.Cause) string {
	b := e.Budget
	stopped := strings.Replace(strings.TrimRight(printable(b.Stopped), "."), ", so the probe stops", "", 1)
	refused, reset, left := 0, 0, 0
	for _, a := range e.Asked {
		refused, reset = refused+a.Refused, reset+a.Reset
		if a.How == "" {
			left += a.MayHaveRun - a.Reset
		}
	}
	switch {
	case brokeProtocol(stopped):
		return fmt.Sprintf("One connection got %s, then the server broke the protocol, which ends the connection in any client.",
			requests(b.Least))
	case stopped != "" && left > 0:
		return fmt.Sprintf("The server left requests without an answer after %s: %s.", requests(b.Least), stopped)
	case strings.Contains(stopped, "resets streams"):
		return fmt.Sprintf("The server stopped answering after %s: %s.", requests(b.Least), stopped)
	case stopped != "":
		return fmt.Sprintf("No limit was met: one connection got %s, then the probe stopped: %s.", requests(b.Least), stopped)
	case refused+reset > 0:
		return fmt.Sprintf("No limit was met: one connection got %s, and none was ended in %s; the server reset %s instead of "+
			"answering.", requests(c.MostRequests), seconds(c.WatchedS), requests(refused+reset))
	}
	return fmt.Sprintf("No limit was met: one connection got %s, and none was ended in %s.", requests(c.MostRequests),
		seconds(c.WatchedS))
}

// brokeProtocol reports whether the probe stopped at something that RFC 9113 tells every client to end the connection for. Floods
// and large header blocks are beyond the probe's own bounds.
func brokeProtocol(stopped string) bool {
	own := strings.Contains(stopped, "a flood of") || strings.Contains(stopped, "a header block of more")
	return strings.Contains(stopped, "does not speak HTTP/2") && !own
}

// calledUnused counts the connections that carried requests and that the server ended as unused.
func calledUnused(e facts.Endpoint) int {
	n := 0
	for _, a := range e.Asked {
		if a.For != facts.ForIdle && a.For != facts.ForAge && cause.CalledUnused(a) {
			n++
		}
	}
	return n
}

// severalText lists the counts at which connections ended, and that others did not end.
func severalText(c cause.Cause) string {
	var parts []string
	for _, g := range c.Groups {
		parts = append(parts, fmt.Sprintf("%s ended after %s", connections(g.Connections), requests(g.Requests)))
	}
	if c.MostRequests > c.Groups[0].Requests {
		parts = append(parts, passed(c, "another got %s without an end"))
	}
	return strings.Join(parts, "; ")
}

// passed adds a connection that was not ended.
func passed(c cause.Cause, form string) string {
	if !slices.ContainsFunc(c.Ends, func(e cause.End) bool { return e.Least <= c.MostRequests }) {
		return "at ages of " + ageList(c.Ends)
	}
	return fmt.Sprintf(form, requests(c.MostRequests))
}

func connections(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// counts lists the requests at which connections ended: "453, 1201 and 88 requests".
func counts(ends []cause.End) string {
	var all []string
	for _, e := range ends {
		if e.Least < e.Requests {
			all = append(all, fmt.Sprintf("%d to %d", e.Least, e.Requests))
			continue
		}
		all = append(all, fmt.Sprint(e.Requests))
	}
	if len(all) == 1 && all[0] == "1" {
		return "1 request"
	}
	return and(all) + " requests"
}

func ageList(ends []cause.End) string {
	var all []string
	for _, e := range ends {
		all = append(all, fmt.Sprintf("%.2g", max(0.01, e.Seconds)))
	}
	return and(all) + " s"
}

func and(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// ages is the age of a cause: "about 5.1 s", "4.6 to 5.4 s".
func ages(c cause.Cause) string {
	least, most := fmt.Sprintf("%.1f", *c.LeastS), fmt.Sprintf("%.1f", *c.MostS)
	if least == most {
		return "about " + least + " s"
	}
	return least + " to " + most + " s"
}

func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }

func unclearText(e facts.Endpoint, c cause.Cause) string {
	switch len(c.Ends) {
	case 0:
		if e.Budget.Stopped != "" {
			return noneMet(e, c)
		}
		return "The probe did not ask for a limit."
	case 1:
		if beforeRequest(c) > 0 && isH2(e) {
			break
		}
		if slices.Contains(c.Fits, cause.Idle) {
			return fmt.Sprintf("One connection ended when it was unused for %s, after %s. An idle time-out fits, but one is not enough "+
				"to prove it.", unusedFor(c), counts(c.Ends))
		}
		s := fmt.Sprintf("One connection ended after %s, at an age of %s. ", counts(c.Ends), seconds(c.Ends[0].Seconds))
		if failed(e) {
			return s + "No other one could be asked: a server that is shutting down looks like this too."
		}
		return s + "One is not enough to tell a request limit from an age."
	}
	if called := calledUnused(e); called > 0 {
		return fmt.Sprintf("Unclear: the server ended %s as unused, after %s, at ages of %s: it does not count these requests "+
			"as use, or pauses between them are too long.", connections(called), counts(c.Ends), ageList(c.Ends))
	}
	switch n := beforeRequest(c); {
	case n == len(c.Ends) && isH2(e):
		return fmt.Sprintf("The server ended %s before a request: it may be shutting down.", connections(n))
	case n > 0 && isH2(e):
		return fmt.Sprintf("Unclear: the server ended %d of %s, some before a request: it may be shutting down.",
			len(c.Ends), connections(len(e.Asked)))
	case slices.Contains(c.Fits, cause.Idle):
		return fmt.Sprintf("Unclear: %s ended when they were unused for %s, after %s. An idle time-out fits, but is not proven.",
			connections(len(c.Unused)), unusedFor(c), counts(c.Ends))
	case shared(c):
		return sharedText(c)
	}
	s := fmt.Sprintf("Unclear: connections ended after %s, at ages of %s", counts(c.Ends), ageList(c.Ends))
	switch {
	case len(c.Fits) > 1:
		return s + ". Both a request limit and an age fit."
	case slices.Contains(c.Fits, cause.Age):
		return s + ". An age fits, but is not proven: restarts at intervals look like this too."
	}
	return s + ". A request limit fits, but is not proven: a server that counts the requests of all connections together " +
		"looks like this too."
}

// beforeRequest counts the connections that ended before a request.
func beforeRequest(c cause.Cause) int {
	n := 0
	for _, e := range c.Ends {
		if e.Requests == 0 {
			n++
		}
	}
	return n
}

// failureText names the error codes and what the connections had got.
func failureText(e facts.Endpoint, c cause.Cause) string {
	var failed []cause.End
	for _, end := range c.Ends {
		if end.Error {
			failed = append(failed, end)
		}
	}
	var codes []string
	for _, a := range e.Asked {
		for _, g := range a.Goaways {
			if code := plain(g.Code); a.How == facts.EndedByError && g.Code != "NO_ERROR" && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return fmt.Sprintf("No request limit: the server ended %d of %s with an error (%s), after %s, at ages of %s.", len(failed),
		connections(len(e.Asked)), and(codes), counts(failed), ageList(failed))
}

// shared reports whether connections after the first got one request at most: they share something that the first used up.
func shared(c cause.Cause) bool {
	const enough, many = 4, 20
	return len(c.Ends) >= enough && c.Ends[0].Least >= many &&
		!slices.ContainsFunc(c.Ends[1:], func(e cause.End) bool { return e.Requests > 1 })
}

func sharedText(c cause.Cause) string {
	return fmt.Sprintf("Unclear: one connection ended after %s, and the %d after it at their first request. A limit that all "+
		"connections of a client share looks like this, and so does a server that is shutting down.", counts(c.Ends[:1]), len(c.Ends)-1)
}

// unusedFor is how long connections were unused when they ended: "0.05 s", "0.05 to 0.09 s".
func unusedFor(c cause.Cause) string {
	least, most := c.Unused[0].Seconds, c.Unused[0].Seconds
	for _, e := range c.Unused {
		least, most = min(least, e.Seconds), max(most, e.Seconds)
	}
	if from, to := fmt.Sprintf("%.2g", least), fmt.Sprintf("%.2g", most); from != to {
		return from + " to " + to + " s"
	}
	return fmt.Sprintf("%.2g s", least)
}

// someUnused reports whether the server ended a connection that had carried nothing for a while, and that was asked for a limit.
func someUnused(e facts.Endpoint) bool {
	return slices.ContainsFunc(e.Asked, func(a facts.AskedConnection) bool {
		return a.For != facts.ForIdle && a.How != "" && a.UnusedMS != nil && *a.UnusedMS >= 1000*cause.LeastUnusedS
	})
}

// failed reports whether an error ended the survey early.
func failed(e facts.Endpoint) bool {
	return slices.ContainsFunc(e.Warnings, func(n facts.Note) bool {
		code, _, ok := n.Read()
		return ok && code == notes.Error
	})
}

// meanings describe what the observed behaviour means for a client of the server, which is the only
// family that fits or one of several.
func meanings(e facts.Endpoint, c cause.Cause, s server, alone bool) []string {
	var out []string
	if e.Ending != nil {
		out = append(out, endingMeans(e))
		if l, ok := s.defaultLimit(e, c); ok {
			out = append(out, "It may be a default: "+l.says+".")
		}
	} else if s.id != "" && alone && s.row.ending != notMeasured {
		out = append(out, fmt.Sprintf("The probe did not see how %s ends a connection here. %s is known for: %s.", s.short,
			s.short, strings.ReplaceAll(s.row.ending, "`", "")))
	}
	if e.Idle != nil {
		out = append(out, idleMeans(e, s))
		if idleWithoutGoaway(e) && s.announcesIdle() {
			out = append(out, fmt.Sprintf("%s announces the end of an unused connection with a GOAWAY, and none came: a TCP load "+
				"balancer or a firewall in front of it may have an idle time-out of its own.", s.short))
		}
	}
	if e.Age != nil && e.Age.Seconds != nil {
		out = append(out,
			fmt.Sprintf("A connection in light use ends at an age of %.1f s. ", *e.Age.Seconds)+agesComeFrom)
	}
	if c.Kind == cause.Age {
		out = append(out, agesComeFrom)
	}
	if s.id == cure.Nginx && c.Kind == cause.Count && *c.Requests == 1 {
		out = append(out, "nginx also ends a connection at its first request where keepalive_timeout is 0.")
	}
	if oneByEnvoy(s.id, c) {
		out = append(out, "Envoy ends each connection at its first request while it drains, by the overload action "+
			"disable_http_keepalive, and where max_requests_per_connection is 1.")
	}
	if isH2(e) && withoutGoaway(e) && s.announces() {
		out = append(out, fmt.Sprintf("%s announces such an end with a GOAWAY, and none came: a TCP load balancer or a firewall in "+
			"front of it may have cut the connection, or the server crashed.", s.short))
	}
	return out
}

// oneByEnvoy reports whether Envoy ends connections at the first request, which is rarely a request limit.
func oneByEnvoy(id string, c cause.Cause) bool {
	return id == cure.Envoy && c.Kind == cause.Count && *c.Requests == 1
}

const agesComeFrom = "Settings that end connections at an age: nginx keepalive_time; Envoy " +
	"max_connection_duration; Traefik " +
	"keepAliveMaxTime; gRPC MaxConnectionAge. A load balancer in between may have one too."

// mayHaveRun warns of requests that got no answer and may have run: the most dangerous of all, since
// a client that sends one again may run it twice.
func mayHaveRun(e facts.Endpoint) string {
	lost, of := 0, 0
	for _, a := range e.Asked {
		if a.MayHaveRun > 0 {
			lost, of = lost+a.MayHaveRun, of+1
		}
	}
	if lost == 0 {
		return ""
	}
	return fmt.Sprintf("%s on %s got no answer and may have run: nothing shows that the server did not process %s. Only "+
		"idempotent requests may be sent again (RFC 9110 §9.2.2).", requests(lost), connections(of), itThem(lost))
}

func itThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func endingMeans(e facts.Endpoint) string {
	x := e.Ending
	switch x.How {
	case facts.EndedByGoaway:
		return oneStageMeans(e)
	case facts.EndedByTwoStages:
		n := len(x.Goaways)
		if n < 2 {
			return announcedOnlyMeans(e)
		}
		return fmt.Sprintf("Two stages: the first GOAWAY only announces the end, the second, %.1f s later, has the "+
			"last-stream-id (%d). ", (x.Goaways[n-1].TMS-x.Goaways[0].TMS)/1000, x.Goaways[n-1].LastStreamID) + inFlightMeans(e)
	case facts.EndedByFutureID:
		if len(x.Goaways) == 0 {
			return "One GOAWAY has a last-stream-id above all streams sent so far. " + inFlightMeans(e)
		}
		return fmt.Sprintf("One GOAWAY has a last-stream-id of %d, above the newest stream sent so far (%d). %s",
			x.Goaways[0].LastStreamID, 2*x.Goaways[0].Sent-1, inFlightMeans(e))
	case facts.EndedByError:
		return errorMeans(x)
	case facts.EndedByConnectionClose:
		return "The last answer has Connection: close, so no request is lost. A client opens a new connection for its " +
			"next request."
	}
	return closedMeans(e) + nothingKnown
}

// closedMeans is about an end that nothing announced.
func closedMeans(e facts.Endpoint) string {
	switch reset := e.Ending.How == facts.EndedByReset; {
	case reset && isH2(e):
		return "The server resets the connection without a GOAWAY. "
	case reset:
		return "The server resets the connection without Connection: close. "
	case isH2(e):
		return "The server closes the connection without a GOAWAY. "
	default:
		return "The server closes the connection without Connection: close. "
	}
}

const nothingKnown = "A client can't know whether a request in flight was processed, so it may send only idempotent " +
	"requests again (RFC 9110 §9.2.2)."

func oneStageMeans(e facts.Endpoint) string {
	g := e.Ending.Goaways
	if len(g) == 0 {
		return "One stage: one GOAWAY with the last stream that the server processes."
	}
	s := fmt.Sprintf("One stage: one GOAWAY with the last stream that the server processes (%d). ", g[0].LastStreamID)
	if e.Crossing != nil && e.Crossing.InFlight.Sent == 0 && answeredAbove(e) {
		return s + "Streams above it were answered nevertheless, so this id proves nothing: a request without an answer may have run."
	}
	if e.Crossing == nil || e.Crossing.InFlight.Sent == 0 {
		return s + "A client may send streams above it again on another connection, whatever their method: they are not " +
			"processed (RFC 9113 §6.8, §8.7)."
	}
	f := e.Crossing.InFlight
	s += fmt.Sprintf("Of %d streams in flight above it %s.", f.Sent, fates(f))
	switch {
	case answeredAbove(e) && f.Dropped+f.Reset > 0:
		s += " The server answers streams above its last-stream-id, so this id proves nothing: those without an answer may have run. " +
			"Only idempotent requests may be sent again (RFC 9110 §9.2.2)."
	case f.Dropped+f.Refused+f.Reset > 0:
		s += " The server did not process them: a client may send each again on another connection, whatever its method " +
			"(RFC 9113 §6.8, §8.7). In a client that does not, they fail."
	}
	return s
}

// answeredAbove reports whether a server answered streams above the last-stream-id of its only GOAWAY, which RFC 9113 §6.8 forbids.
func answeredAbove(e facts.Endpoint) bool {
	if g := e.Ending.Goaways[0]; int64(g.LastStreamID) < 2*int64(g.Answered)-1 {
		return true // it had answered more streams than there are up to this id
	}
	return e.Crossing != nil && e.Crossing.InFlight.Answered+e.Crossing.After.Answered > 0
}

// announcedOnlyMeans is about a GOAWAY of 2^31 − 1 after which the connection was closed without the real id.
func announcedOnlyMeans(e facts.Endpoint) string {
	const s = "The GOAWAY only announces the end, and none with the last-stream-id came. "
	if sent, lost := inFlight(e); lost > 0 {
		return s + fmt.Sprintf("Of %d streams in flight %d were not answered. ", sent, lost) + nothingKnown
	}
	return s + inFlightMeans(e)
}

// inFlight is how many streams were in flight when the end was announced, and how many of them got no answer.
func inFlight(e facts.Endpoint) (sent, lost int) {
	if x := e.Crossing; x != nil {
		sent = x.Covered.Sent + x.InFlight.Sent
		lost = sent - x.Covered.Answered - x.InFlight.Answered
	}
	return sent, lost
}

func inFlightMeans(e facts.Endpoint) string {
	switch sent, lost := inFlight(e); {
	case sent == 0:
		return "No stream was in flight then."
	case sent == 1 && lost == 0:
		return "The stream in flight was answered: nothing is lost, but every client opens a new connection."
	case lost == 0:
		return fmt.Sprintf("All %d streams in flight were answered: nothing is lost, but every client opens a new "+
			"connection.", sent)
	default:
		return fmt.Sprintf("Of %d streams in flight %d were not answered. A client may send those above the last-stream-id again, "+
			"whatever their method (RFC 9113 §6.8, §8.7).", sent, lost)
	}
}

// fates describes what happened to the streams, the worst first.
func fates(f facts.Fates) string {
	var out []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{f.Dropped, "never answered"},
		{f.Reset, "reset"},
		{f.Refused, "refused (REFUSED_STREAM)"},
		{f.Answered, "answered nevertheless"},
	} {
		if part.n > 0 {
			out = append(out, fmt.Sprintf("%d %s %s", part.n, wasWere(part.n), part.what))
		}
	}
	return strings.Join(out, ", ")
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// errorMeans identifies the guards that end connections with an error code: they are no request
// limits.
func errorMeans(x *facts.Ending) string {
	if len(x.Goaways) == 0 {
		return "The connection was ended with an error."
	}
	g := x.Goaways[0]
	name := plain(g.Code)
	if g.Debug != "" {
		name += fmt.Sprintf(" %q", g.Debug)
	}
	s := fmt.Sprintf("GOAWAY %s after %s is an error, not a request limit", name, requests(g.Answered))
	if g.Code == "ENHANCE_YOUR_CALM" {
		return s + ". The server takes this for a flood (frames, resets or requests too fast). Ask more slowly (--rate) and " +
			"compare the numbers."
	}
	return s + ". The server's log may say why."
}

// shortIdleS is an idle time-out that pooled connections reach in ordinary use.
const shortIdleS = 15

func shortIdle(e facts.Endpoint) bool {
	return e.Idle != nil && e.Idle.Seconds != nil && *e.Idle.Seconds < shortIdleS
}

// endsUnused reports whether the server ends connections that are unused for such a time.
func endsUnused(e facts.Endpoint, c cause.Cause) bool {
	return shortIdle(e) || c.Kind == cause.Idle && *c.MostS < shortIdleS && !withoutGoaway(e)
}

func idleMeans(e facts.Endpoint, s server) string {
	if e.Idle.Seconds == nil {
		return fmt.Sprintf("An unused connection was still open after %.0f s.", e.Idle.WatchedS)
	}
	out := fmt.Sprintf("An unused connection ends after %.1f s", *e.Idle.Seconds)
	if d, ok := s.defaultIdle(e); ok {
		out += " (" + d.says + ")"
	}
	switch {
	case e.Idle.Ending == nil:
		return out + "."
	case len(e.Idle.Ending.Goaways) == 0:
		return out + " without a GOAWAY, so a client can't know whether a request sent at that moment was processed. Set the " +
			"client's own idle time-out below it."
	case shortIdle(e):
		return out + ": a client has to repeat a request that it sent at that moment. Set the client's own idle " +
			"time-out " +
			"below it."
	}
	return out + "."
}

package family

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
)

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

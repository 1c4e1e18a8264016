package family

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
)

// limitSentence describes the endpoint's limit in one sentence.
func limitSentence(e facts.Endpoint) string {
	b := e.Budget
	switch {
	case b.Most == nil && b.AskedUpTo == 0:
		return "How many requests a connection gets was not asked."
	case b.Most == nil && b.Stopped != "":
		return fmt.Sprintf("No limit was met: one connection got %s, then the asking ended: %s.", requests(b.Least),
			strings.TrimRight(printable(b.Stopped), "."))
	case b.Most == nil:
		return fmt.Sprintf("No limit was met: one connection got %s, and was asked for no more.", requests(b.Least))
	case len(b.Counts) == 1:
		return fmt.Sprintf("One connection got %s, and was ended; one is not enough to call that the limit.",
			requests(*b.Most))
	case b.Exact():
		return fmt.Sprintf("A connection gets exactly %s (%d connections were counted).", requests(b.Least),
			len(b.Counts))
	}
	return fmt.Sprintf("A connection gets %d to %s: its end is announced at the first, and what is on its way then "+
		"may be served still.", b.Least, requests(*b.Most))
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// meanings describe what the observed behaviour means for a client.
func meanings(e facts.Endpoint, s server) []string {
	var out []string
	if e.Ending != nil {
		out = append(out, endingMeans(e))
		if l, ok := s.defaultLimit(e); ok {
			out = append(out, "Nobody needs to have chosen it: "+l.says+".")
		}
	} else if s.id != "" {
		out = append(out,
			fmt.Sprintf("How it would end a connection at a limit was not seen. %s is known for: %s.", s.short,
				strings.ReplaceAll(s.row.Ending, "`", "")))
	}
	if e.Idle != nil {
		out = append(out, idleMeans(e, s))
	}
	if e.Age != nil && e.Age.Seconds != nil {
		out = append(out,
			fmt.Sprintf("A connection in light use is ended after %.1f s, whatever it does: that is a limit of age "+
				"(nginx: keepalive_time; Envoy: max_connection_duration; Traefik: keepAliveMaxTime; a load "+
				"balancer's own).", *e.Age.Seconds))
	}
	return out
}

func endingMeans(e facts.Endpoint) string {
	x := e.Ending
	switch x.How {
	case facts.EndedByGoaway:
		return oneStageMeans(e)
	case facts.EndedByTwoStages:
		s := "Two stages: the first GOAWAY is a notice that takes nothing back"
		if n := len(x.Goaways); n > 1 {
			s += fmt.Sprintf(", the second, %.1f s later, names the last stream taken (%d)",
				(x.Goaways[n-1].TMS-x.Goaways[0].TMS)/1000, x.Goaways[n-1].LastStreamID)
		}
		return s + ". " + inFlightMeans(e)
	case facts.EndedByFutureID:
		if len(x.Goaways) == 0 {
			return "One GOAWAY names a stream that lies ahead. " + inFlightMeans(e)
		}
		return fmt.Sprintf("One GOAWAY, which names a stream that lies ahead: %d, when the newest sent was %d. %s",
			x.Goaways[0].LastStreamID, 2*x.Goaways[0].Sent-1, inFlightMeans(e))
	case facts.EndedByError:
		return errorMeans(x)
	case facts.EndedByConnectionClose:
		return "Connection: close comes with the last answer, so nothing is lost: a client opens a new connection " +
			"for its next request."
	}
	how := "closes without a GOAWAY"
	if x.How == facts.EndedByReset {
		how = "resets the connection without a GOAWAY"
	}
	return "It " + how +
		": nobody can tell whether a request that was in flight was processed, " +
		"so only idempotent ones may be sent again by themselves (RFC 9110 §9.2.2)."
}

func oneStageMeans(e facts.Endpoint) string {
	g := e.Ending.Goaways
	if len(g) == 0 {
		return "One stage: a GOAWAY names the last stream that was taken."
	}
	s := fmt.Sprintf("One stage: one GOAWAY names the last stream that was taken (%d). ", g[0].LastStreamID)
	if e.Crossing == nil || e.Crossing.InFlight.Sent == 0 {
		return s + "Streams above it are not processed: a client may send them again on another connection, whatever " +
			"their method (RFC 9113 §6.8, §8.7)."
	}
	f := e.Crossing.InFlight
	s += fmt.Sprintf("Of %d streams in flight above it %s.", f.Sent, fates(f))
	if f.Dropped+f.Refused+f.Reset > 0 {
		s += " Those were not processed: each may be sent again on another connection, whatever its method (RFC 9113 " +
			"§6.8, §8.7). A client that does not do that fails them."
	}
	return s
}

func inFlightMeans(e facts.Endpoint) string {
	x := e.Crossing
	if x == nil || x.Covered.Sent+x.InFlight.Sent == 0 {
		return "No stream was in flight when it came."
	}
	lost := x.InFlight.Sent - x.InFlight.Answered + x.Covered.Sent - x.Covered.Answered
	if lost == 0 {
		return fmt.Sprintf("All %d streams in flight were answered: nothing is lost, but every client has to open a "+
			"new connection.", x.Covered.Sent+x.InFlight.Sent)
	}
	return fmt.Sprintf("Of %d streams in flight %d were not answered; those above the last id may be sent again, "+
		"whatever their method (RFC 9113 §6.8, §8.7).", x.Covered.Sent+x.InFlight.Sent, lost)
}

// fates describes what happened to the streams, the worst first.
func fates(f facts.Fates) string {
	var out []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{f.Dropped, "dropped without a word"},
		{f.Reset, "reset"},
		{f.Refused, "refused (REFUSED_STREAM)"},
		{f.Answered, "answered all the same"},
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
	s := fmt.Sprintf("GOAWAY %s %q after %s is an error, not a request limit", plain(g.Code), g.Debug,
		requests(g.Answered))
	switch g.Code {
	case "ENHANCE_YOUR_CALM":
		return s + ": a guard against floods thinks that this is one (frames, resets or requests too fast). Ask more " +
			"slowly, and see whether the number stays."
	case "INTERNAL_ERROR":
		if g.Debug == "" {
			return s + ": servers on nghttp2 (Envoy, Node.js, nghttpx, Apache) send this when a client resets more " +
				"than 1000 streams, and 33 a second. The server's log may say more."
		}
	}
	return s + ". The server's log may say why."
}

// shortIdleS is an idle time-out that pooled connections reach in ordinary use.
const shortIdleS = 15

func shortIdle(e facts.Endpoint) bool {
	return e.Idle != nil && e.Idle.Seconds != nil && *e.Idle.Seconds < shortIdleS
}

func idleMeans(e facts.Endpoint, s server) string {
	if e.Idle.Seconds == nil {
		return fmt.Sprintf("An unused connection was still open after %.0f s.", e.Idle.WatchedS)
	}
	out := fmt.Sprintf("An unused connection is ended after %.1f s", *e.Idle.Seconds)
	if d, ok := s.defaultIdle(e); ok {
		out += " (" + d.says + ")"
	}
	switch {
	case e.Idle.Ending == nil:
		return out + "."
	case len(e.Idle.Ending.Goaways) == 0:
		return out + " without a GOAWAY: a request that crosses the close can't be known to be unprocessed. Keep a " +
			"client's own idle time-out below it."
	case shortIdle(e):
		return out + ": a request that crosses the GOAWAY has to be sent again. Keep a client's own idle time-out " +
			"below it."
	}
	return out + "."
}

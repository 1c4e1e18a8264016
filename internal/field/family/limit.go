package family

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
)

// sentences joins whole sentences.
func sentences(all ...facts.Text) facts.Text { return facts.Join("join.sentences", all...) }

// limitText says what ends the endpoint's connections, and what was seen of it.
func limitText(e facts.Endpoint, c cause.Cause) facts.Text {
	said := limitOf(e, c)
	if c.Kind == cause.Idle || len(c.Unused) == 0 || slices.Contains(c.Fits, cause.Idle) {
		return said
	}
	return sentences(said, facts.T("family.unused-earlier", connections(len(c.Unused)), unusedFor(c)))
}

func limitOf(e facts.Endpoint, c cause.Cause) facts.Text {
	switch c.Kind {
	case cause.Idle:
		return facts.T("family.idle-ends", unusedFor(c), connections(len(c.Unused)), requests(c.MostRequests))
	case cause.None:
		return noneMet(e, c)
	case cause.Count:
		switch of := connections(len(c.Ends)); {
		case c.Unanswered:
			return facts.T("family.ends-unanswered", *c.Requests, of)
		case len(c.Earlier) == 0:
			return facts.T("family.exactly", requests(*c.Requests), of)
		}
		return facts.T("family.at-most", requests(*c.Requests), connections(len(c.Ends)-len(c.Earlier)),
			connections(len(c.Earlier)), counts(c.Earlier), ages(c.Earlier))
	case cause.Age:
		return facts.T("family.age-ends", aboutAge(c), counts(c.Ends))
	case cause.Several:
		return facts.T("family.several", severalText(c))
	case cause.Failure:
		return failureText(e, c)
	case cause.Neither:
		switch {
		case shared(c):
			return sharedText(c)
		case byTime(c):
			return facts.T("family.by-time", counts(c.Ends), ages(c.Ends))
		}
		like := facts.T("family.at-random")
		if someUnused(e) {
			like = facts.T("family.at-random-idle")
		}
		return sentences(facts.T("family.no-single", counts(c.Ends), passed(c, facts.T("family.one-got", requests(c.MostRequests)))), like)
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

func noneMet(e facts.Endpoint, c cause.Cause) facts.Text {
	b := e.Budget
	refused, reset, left := 0, 0, 0
	for _, a := range e.Asked {
		refused, reset = refused+a.Refused, reset+a.Reset
		if a.How == "" {
			left += a.MayHaveRun - a.Reset
		}
	}
	got, watched := requests(c.MostRequests), fmt.Sprintf("%.1f", c.WatchedS)
	switch stopped := facts.Text(b.Stopped); {
	case stopped.Key == "stop.garbled":
		return facts.T("family.broke-protocol", requests(b.Least))
	case !stopped.IsZero() && left > 0:
		return facts.T("family.left-unanswered", requests(b.Least), stopped)
	case stopped.Key == "stop.resets":
		return facts.T("family.stopped-answering", requests(b.Least), stopped)
	case !stopped.IsZero():
		return facts.T("family.none-met-stopped", requests(b.Least), stopped)
	case refused+reset > 0:
		return facts.T("family.none-met-reset", got, watched, requests(refused+reset))
	}
	return facts.T("family.none-met", got, watched)
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
func severalText(c cause.Cause) facts.Text {
	var parts []facts.Text
	for _, g := range c.Groups {
		parts = append(parts, facts.T("family.group", connections(g.Connections), requests(g.Requests)))
	}
	if c.MostRequests > c.Groups[0].Requests {
		parts = append(parts, passed(c, facts.T("family.another-got", requests(c.MostRequests))))
	}
	return facts.Join("join.semicolon", parts...)
}

// passed is about a connection that was not ended, where there is one that got more than those that were.
func passed(c cause.Cause, got facts.Text) facts.Text {
	if !slices.ContainsFunc(c.Ends, func(e cause.End) bool { return e.Least <= c.MostRequests }) {
		return facts.T("family.at-ages", ages(c.Ends))
	}
	return got
}

func connections(n int) facts.Text { return facts.T("family.connections", n) }

func requests(n int) facts.Text { return facts.T("family.requests", n) }

// counts lists the requests at which connections ended: "453, 1201 and 88 requests".
func counts(ends []cause.End) facts.Text {
	var all []facts.Text
	for _, e := range ends {
		all = append(all, between(strconv.Itoa(min(e.Least, e.Requests)), strconv.Itoa(e.Requests)))
	}
	return facts.T("family.counts", and(all))
}

func ages(ends []cause.End) facts.Text {
	var all []facts.Text
	for _, e := range ends {
		all = append(all, facts.Verbatim(fmt.Sprintf("%.2g", max(0.01, e.Seconds))))
	}
	return facts.T("family.seconds", and(all))
}

// between is a range, or one number.
func between(least, most string) facts.Text {
	if least == most {
		return facts.Verbatim(least)
	}
	return facts.T("family.range", least, most)
}

func and(all []facts.Text) facts.Text {
	if len(all) < 2 {
		return facts.Join("", all...)
	}
	return facts.Join("join.and", facts.Join("join.list", all[:len(all)-1]...), all[len(all)-1])
}

// aboutAge is the age of a cause: "about 5.1 s", "4.6 to 5.4 s".
func aboutAge(c cause.Cause) facts.Text {
	least, most := fmt.Sprintf("%.1f", *c.LeastS), fmt.Sprintf("%.1f", *c.MostS)
	if least == most {
		return facts.T("family.about", least)
	}
	return facts.T("family.seconds", between(least, most))
}

func unclearText(e facts.Endpoint, c cause.Cause) facts.Text {
	before := 0
	if isH2(e) {
		before = beforeRequest(c)
	}
	called, idle := calledUnused(e), slices.Contains(c.Fits, cause.Idle)
	said := facts.T("family.unclear", counts(c.Ends), ages(c.Ends))
	switch n := len(c.Ends); {
	case n == 0 && e.Budget.Stopped.IsZero():
		return facts.T("family.not-asked")
	case n == 0:
		return noneMet(e, c)
	case n == 1 && before == 0 && idle:
		return facts.T("family.one-unused", unusedFor(c), counts(c.Ends))
	case n == 1 && before == 0:
		why := facts.T("family.one-is-not-enough")
		if failed(e) {
			why = facts.T("family.no-other")
		}
		return sentences(facts.T("family.one-ended", counts(c.Ends), fmt.Sprintf("%.1f", c.Ends[0].Seconds)), why)
	case called > 0:
		return facts.T("family.called-unused", connections(called), counts(c.Ends), ages(c.Ends))
	case before == n:
		return facts.T("family.before-request", connections(n))
	case before > 0:
		return facts.T("family.some-before-request", n, connections(len(e.Asked)))
	case idle:
		return facts.T("family.unused-unclear", connections(len(c.Unused)), unusedFor(c), counts(c.Ends))
	case shared(c):
		return sharedText(c)
	case len(c.Fits) > 1:
		return sentences(said, facts.T("family.both-fit"))
	case slices.Contains(c.Fits, cause.Age):
		return sentences(said, facts.T("family.age-fits"))
	}
	return sentences(said, facts.T("family.count-fits"))
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
func failureText(e facts.Endpoint, c cause.Cause) facts.Text {
	failed := slices.DeleteFunc(slices.Clone(c.Ends), func(end cause.End) bool { return !end.Error })
	var codes []facts.Text
	var seen []string
	for _, a := range e.Asked {
		for _, g := range a.Goaways {
			if code := plain(g.Code); a.How == facts.EndedByError && g.Code != "NO_ERROR" && !slices.Contains(seen, code) {
				seen, codes = append(seen, code), append(codes, facts.Verbatim(code))
			}
		}
	}
	return facts.T("family.failure", len(failed), connections(len(e.Asked)), and(codes), counts(failed), ages(failed))
}

// shared reports whether connections after the first got one request at most: they share something that the first used up.
func shared(c cause.Cause) bool {
	const enough, many = 4, 20
	return len(c.Ends) >= enough && c.Ends[0].Least >= many &&
		!slices.ContainsFunc(c.Ends[1:], func(e cause.End) bool { return e.Requests > 1 })
}

func sharedText(c cause.Cause) facts.Text {
	return facts.T("family.shared", counts(c.Ends[:1]), len(c.Ends)-1)
}

// unusedFor is how long connections were unused when they ended: "0.05 s", "0.05 to 0.09 s".
func unusedFor(c cause.Cause) facts.Text {
	least, most := c.Unused[0].Seconds, c.Unused[0].Seconds
	for _, e := range c.Unused {
		least, most = min(least, e.Seconds), max(most, e.Seconds)
	}
	return facts.T("family.seconds", between(fmt.Sprintf("%.2g", least), fmt.Sprintf("%.2g", most)))
}

// someUnused reports whether the server ended a connection that had carried nothing for a while, and that was asked for a limit.
func someUnused(e facts.Endpoint) bool {
	return slices.ContainsFunc(e.Asked, func(a facts.AskedConnection) bool {
		return a.For != facts.ForIdle && a.How != "" && a.UnusedMS != nil && *a.UnusedMS >= 1000*cause.LeastUnusedS
	})
}

// failed reports whether an error ended the survey early.
func failed(e facts.Endpoint) bool {
	return slices.ContainsFunc(e.Warnings, func(n facts.Note) bool { return n.Key == "note.error" })
}

// meanings describe what the observed behaviour means for a client of the server, which is the only
// family that fits or one of several.
func meanings(e facts.Endpoint, c cause.Cause, s server, alone bool) []facts.Text {
	var out []facts.Text
	say := func(holds bool, texts ...facts.Text) {
		if holds {
			out = append(out, sentences(texts...))
		}
	}
	short, ends := facts.Text(s.Short), facts.Text(s.Ends)
	if e.Ending != nil {
		out = append(out, endingMeans(e))
		l, ok := s.defaultLimit(e, c)
		say(ok, facts.T("family.default", facts.Text(l.Says)))
	} else {
		say(alone && !ends.IsZero(), facts.T("family.not-seen-ending", short, ends))
	}
	if e.Idle != nil {
		out = append(out, idleMeans(e, s))
		say(idleWithoutGoaway(e) && s.announcesIdle(), facts.T("family.announces-unused", short))
	}
	if e.Age != nil && e.Age.Seconds != nil {
		say(true, facts.T("family.light-use-ends", fmt.Sprintf("%.1f", *e.Age.Seconds)), facts.T("family.ages-come-from"))
	}
	say(c.Kind == cause.Age, facts.T("family.ages-come-from"))
	say(s.ID == cure.Nginx && c.Kind == cause.Count && *c.Requests == 1, facts.T("family.nginx-first"))
	say(oneByEnvoy(s.ID, c), facts.T("family.envoy-first"))
	say(isH2(e) && withoutGoaway(e) && s.announces(), facts.T("family.announces", short))
	return out
}

// oneByEnvoy reports whether Envoy ends connections at the first request, which is rarely a request limit.
func oneByEnvoy(id string, c cause.Cause) bool {
	return id == cure.Envoy && c.Kind == cause.Count && *c.Requests == 1
}

// mayHaveRun warns of requests that got no answer and may have run: the most dangerous of all, since
// a client that sends one again may run it twice.
func mayHaveRun(e facts.Endpoint) facts.Text {
	lost, of := 0, 0
	for _, a := range e.Asked {
		if a.MayHaveRun > 0 {
			lost, of = lost+a.MayHaveRun, of+1
		}
	}
	if lost == 0 {
		return facts.Text{}
	}
	them := facts.T("family.them")
	if lost == 1 {
		them = facts.T("family.it")
	}
	return sentences(facts.T("family.may-have-run", requests(lost), connections(of), them), facts.T("family.only-idempotent"))
}

func endingMeans(e facts.Endpoint) facts.Text {
	x := e.Ending
	n := len(x.Goaways)
	switch x.How {
	case facts.EndedByGoaway:
		return oneStageMeans(e)
	case facts.EndedByTwoStages:
		if n < 2 {
			return announcedOnlyMeans(e)
		}
		return sentences(facts.T("family.two-stages", fmt.Sprintf("%.1f", (x.Goaways[n-1].TMS-x.Goaways[0].TMS)/1000),
			id(x.Goaways[n-1])), inFlightMeans(e))
	case facts.EndedByFutureID:
		said := facts.T("family.future-id")
		if n > 0 {
			said = facts.T("family.future-id-of", id(x.Goaways[0]), 2*x.Goaways[0].Sent-1)
		}
		return sentences(said, inFlightMeans(e))
	case facts.EndedByError:
		return errorMeans(x)
	case facts.EndedByConnectionClose:
		return facts.T("family.connection-close")
	}
	said := facts.T("family.closed-h1")
	switch reset := x.How == facts.EndedByReset; {
	case reset && isH2(e):
		said = facts.T("family.reset-h2")
	case reset:
		said = facts.T("family.reset-h1")
	case isH2(e):
		said = facts.T("family.closed-h2")
	}
	return sentences(said, facts.T("family.nothing-known"))
}

func id(g facts.GoawayFrame) string { return fmt.Sprint(g.LastStreamID) }

func oneStageMeans(e facts.Endpoint) facts.Text {
	if len(e.Ending.Goaways) == 0 {
		return facts.T("family.one-stage")
	}
	said := facts.T("family.one-stage-of", id(e.Ending.Goaways[0]))
	if e.Crossing == nil || e.Crossing.InFlight.Sent == 0 {
		if e.Crossing != nil && answeredAbove(e) {
			return sentences(said, facts.T("family.above-answered"))
		}
		return sentences(said, facts.T("family.above-again"))
	}
	f := e.Crossing.InFlight
	said = sentences(said, facts.T("family.of-above", f.Sent, fates(f)))
	switch {
	case answeredAbove(e) && f.Dropped+f.Reset > 0:
		return sentences(said, facts.T("family.answers-above"), facts.T("family.only-idempotent"))
	case f.Dropped+f.Refused+f.Reset > 0:
		return sentences(said, facts.T("family.not-processed"))
	}
	return said
}

// answeredAbove reports whether a server answered streams above the last-stream-id of its only GOAWAY, which RFC 9113 §6.8 forbids.
func answeredAbove(e facts.Endpoint) bool {
	if g := e.Ending.Goaways[0]; int64(g.LastStreamID) < 2*int64(g.Answered)-1 {
		return true // it had answered more streams than there are up to this id
	}
	return e.Crossing != nil && e.Crossing.InFlight.Answered+e.Crossing.After.Answered > 0
}

// announcedOnlyMeans is about a GOAWAY of 2^31 − 1 after which the connection was closed without the real id.
func announcedOnlyMeans(e facts.Endpoint) facts.Text {
	said := facts.T("family.announced-only")
	if sent, lost := inFlight(e); lost > 0 {
		return sentences(said, facts.T("family.not-answered", sent, lost), facts.T("family.nothing-known"))
	}
	return sentences(said, inFlightMeans(e))
}

// inFlight is how many streams were in flight when the end was announced, and how many of them got no answer.
func inFlight(e facts.Endpoint) (sent, lost int) {
	if x := e.Crossing; x != nil {
		sent = x.Covered.Sent + x.InFlight.Sent
		lost = sent - x.Covered.Answered - x.InFlight.Answered
	}
	return sent, lost
}

func inFlightMeans(e facts.Endpoint) facts.Text {
	switch sent, lost := inFlight(e); {
	case sent == 0:
		return facts.T("family.none-in-flight")
	case sent == 1 && lost == 0:
		return facts.T("family.one-answered")
	case lost == 0:
		return facts.T("family.all-answered", sent)
	default:
		return sentences(facts.T("family.not-answered", sent, lost), facts.T("family.those-above-again"))
	}
}

// fates describes what happened to the streams, the worst first.
func fates(f facts.Fates) facts.Text {
	var out []facts.Text
	for _, part := range []facts.Text{facts.T("family.were-unanswered", f.Dropped), facts.T("family.were-reset", f.Reset),
		facts.T("family.were-refused", f.Refused), facts.T("family.were-answered", f.Answered)} {
		if part.Args[0] != 0 {
			out = append(out, part)
		}
	}
	return facts.Join("join.comma", out...)
}

// errorMeans identifies the guards that end connections with an error code: they are no request
// limits.
func errorMeans(x *facts.Ending) facts.Text {
	if len(x.Goaways) == 0 {
		return facts.T("family.ended-by-error")
	}
	g := x.Goaways[0]
	name, why := plain(g.Code), facts.T("family.its-log")
	if g.Debug != "" {
		name += fmt.Sprintf(" %q", g.Debug)
	}
	if g.Code == "ENHANCE_YOUR_CALM" {
		why = facts.T("family.flood")
	}
	return sentences(facts.T("family.error-goaway", name, requests(g.Answered)), why)
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

func idleMeans(e facts.Endpoint, s server) facts.Text {
	if e.Idle.Seconds == nil {
		return facts.T("family.idle-open", fmt.Sprintf("%.0f", e.Idle.WatchedS))
	}
	after, is := fmt.Sprintf("%.1f", *e.Idle.Seconds), facts.Text{}
	if d, ok := s.defaultIdle(e); ok {
		is = facts.T("family.in-brackets", facts.Text(d.Says))
	}
	switch {
	case e.Idle.Ending != nil && len(e.Idle.Ending.Goaways) == 0:
		return sentences(facts.T("family.idle-closed", after, is), facts.T("family.set-below"))
	case e.Idle.Ending != nil && shortIdle(e):
		return sentences(facts.T("family.idle-short", after, is), facts.T("family.set-below"))
	}
	return facts.T("family.idle-after", after, is)
}

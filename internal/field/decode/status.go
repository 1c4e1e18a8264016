package decode

import (
	"h2lab/internal/facts"
	"slices"
	"strings"
)

// A service answers with a gRPC status: a code and a description in its own words. gRPC's libraries give the same codes for
// their own connection, and then the description has the words of a transport: they decide whose status it is.

// answered takes a status in a service's own words for an answer, unless a frame, a code or a system's name proves more.
func (e evidence) answered() evidence {
	e.either = e.Event == onAnswered && e.rank < weak && re("bareUnknown").MatchString(e.as)
	// what runs out has words of a limit
	limited := e.Code == "" && e.Flags == "" && (e.Event == onLocalLimit && !re("shed").MatchString(e.low) ||
		e.Event == onStatus && strings.Contains(e.low, "too many requests"))
	if !e.sign || e.Frame != "" || !limited && (e.named() || slices.Contains(settled, e.Event)) {
		return e
	}
	status, ok := e.described()
	limited = limited && ok && re("ofExhaustion").MatchString(e.low[status.at.from:status.at.to])
	defect := e.rank > weak && e.at[aboutEvent].to > status.at.from && e.Event != onNoEvent
	if !ok || !limited && (e.named() || e.Event == onStatus ||
		defect && (e.rank > rankAnswer || !status.sure)) { // a defect is the service's own
		return e
	}
	e.Event, e.rank, e.at[aboutEvent], e.never, e.events = onAnswered, rankAnswer, status.at, false, nil
	e.either, e.answer = !status.own, e.as[status.at.from:status.at.to]
	return e
}

// settled are events that a status's description doesn't change.
var settled = []Event{onAnswered, onStatus, onTooLarge, onNormal}

// settles reports whether a code and a description in lower case are a service's own.
func settles(code, said string) bool {
	switch {
	case re("ofServices").MatchString(code):
		return true
	case re("ofAccess").MatchString(code):
		return !re("fetching").MatchString(said)
	}
	return re("lacks").MatchString(said)
}

// mostDescription is how much of a text after a status is its description at most.
const mostDescription = 300

// serviceStatus is a status that a service gave: own, if services give its code more often than libraries, sure, if no library does
// with such a description.
type serviceStatus struct {
	at        span
	own, sure bool
}

// described is the first status that a service gave in its own words.
func (t text) described() (status serviceStatus, ok bool) {
	for _, m := range re("shared").whole().FindAllStringIndex(t.as, mostPlaces) {
		code, said := t.low[m[0]:m[1]], t.description(m[1])
		sure := settles(code, said)
		if !sure {
			words := "transportWords"
			if re("ofExhaustion").MatchString(code) {
				words = "exhaustedWords"
			}
			said = strings.TrimSpace(re("places").whole().ReplaceAllString(said, " "))
			if re("empty").MatchString(said) || re(words).MatchString(said) {
				continue
			}
		}
		own := !strings.Contains(code, "unavailable") && !strings.Contains(code, "14")
		return serviceStatus{span{m[0], m[1]}, own, sure}, true
	}
	return status, false
}

// description is a status's description in lower case, which begins at an index. What its library prints behind it is not the
// service's.
func (t text) description(from int) string {
	said := t.low[from:min(len(t.low), from+mostDescription)]
	for _, end := range []string{"debug_error_string", "\", metadata: ", "\", details: [", "metadata: metadata"} {
		said, _, _ = strings.Cut(said, end)
	}
	return said
}

// answeredBy is the HTTP status that came back, "" if none did.
func answeredBy(said string) string {
	if !re("threeDigits").MatchString(said) {
		return ""
	}
	status := first(re("back").whole().FindStringSubmatch(said))
	if status == "500" && re("quotes").MatchString(re("placeNames").whole().ReplaceAllString(said, " ")) {
		return ""
	}
	return status
}

// ofGateway is what the status of a gateway says of the request that it did not get answered; no text for any other status.
func ofGateway(status string) facts.Text {
	for _, g := range theNames().Gateway {
		if slices.Contains(g.Status, status) {
			return g.Says.Text
		}
	}
	return facts.Text{}
}

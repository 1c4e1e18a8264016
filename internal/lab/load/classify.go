package load

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"h2lab/internal/facts"
)

// classes maps clients' messages to the outcome of the request. The first match counts, so special
// patterns come before general ones. Where a message doesn't tell whether the request was executed,
// the class is "may have been executed".
var classes = []struct {
	class   string
	message *regexp.Regexp
}{
	// The request was never sent; the message may also mention a dial or a timeout.
	{facts.ErrClientResources, ownLack},
	// With RST_STREAM(REFUSED_STREAM) the server has processed nothing (RFC 9113 §8.7).
	{facts.ErrRefusedStream, regexp.MustCompile(`(?i)REFUSED_STREAM`)},
	// net/http: the stream's id was above the last-stream-id, and the request had no GetBody.
	{facts.ErrGoawayNotReplayable, regexp.MustCompile(`(?i)cannot retry err \[|graceful shutdown GOAWAY`)},
	// Node, Armeria and OkHttp, for requests that never got a stream.
	{facts.ErrGoawayNotReplayable,
		regexp.MustCompile(`(?i)New streams cannot be created after receiving a ` +
			`GOAWAY|UnprocessedRequestException|ConnectionShutdownException`)},
	// net/http, and k6's shorter text for it: the stream's id was at or below the last-stream-id.
	{facts.ErrGoawayAfterProcessing,
		regexp.MustCompile(`(?i)server sent GOAWAY and closed the connection|received GoAway with http2 ErrCode`)},
	// The others mention a GOAWAY without its last-stream-id. hyper calls one with NO_ERROR "not a
	// result of an error" (hyperium/hyper#2500).
	{facts.ErrGoawayAfterProcessing,
		regexp.MustCompile(`(?i)go_?away|ConnectionTerminated error_code|not a result of an error|Server ` +
			`closing the connection! Error code`)},
	{facts.ErrTimeout, regexp.MustCompile(`(?i)deadline exceeded|request timeout|time-?out|timed out`)},
	{facts.ErrConnectionLost,
		regexp.MustCompile(`(?i)\bEOF|connection reset|reset by peer|broken pipe|connection refused|closed ` +
			`network connection|client connection (lost|force closed)|client conn (not usable|is closed)|server ` +
			`closed idle connection|connection closed|connection died|socket closed|PrematureClose|Failed ` +
			`sending data to the peer`)},
}

// ownLack matches the messages of C libraries and runtimes for EMFILE, ENFILE, EADDRNOTAVAIL,
// ENOBUFS and ENOMEM (errno(3), glibc and BSD), the names themselves (Node), and EAGAIN on starting
// a process or a thread (fork(2), pthread_create(3)): JDK's "unable to create native thread",
// CPython's "can't start new thread", Go's "failed to create new OS thread", Rust's "failed to
// spawn thread".
var ownLack = regexp.MustCompile(`(?i)too many open files|\b(EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)\b|no ` +
	`file descriptors available` +
	`|(cannot|can't) assign requested address|address not available|no buffer space available|(cannot|can't) ` +
	`allocate memory` +
	`|unable to create (new )?native thread|(can't|cannot) start new thread|failed to create new OS ` +
	`thread|failed to spawn (a )?thread` +
	`|(fork|clone|spawn|thread|exec)[^;]*resource temporarily unavailable`)

// rewind is net/http's message when it can't retry on a new connection because the first one became
// unusable before it carried the request (transport.go, rewindBody). On h2 that is a pooled
// connection that has just received its GOAWAY.
var rewind = regexp.MustCompile(`cannot rewind body after connection loss`)

// classify returns the class of a failure, one of facts.ErrorClasses.
func classify(f failure, p facts.Protocol) string {
	if f.Kind == "status" {
		return facts.ErrHTTPStatus
	}
	if rewind.MatchString(f.Message) {
		if p == facts.H2 {
			return facts.ErrGoawayNotReplayable
		}
		return facts.ErrConnectionLost
	}
	for _, c := range classes {
		if c.message.MatchString(f.Message) {
			return c.class
		}
	}
	return facts.ErrOther
}

// statusMessage matches the exceptions of Spring's clients for an answer with another status than 2xx
// (RestTemplate and RestClient: RestClientResponseException's subclasses; WebClient), and the services'
// own text for one.
var statusMessage = regexp.MustCompile(`^HTTP status \d|Http(Client|Server)ErrorException|` +
	`UnknownHttpStatusCodeException|WebClientResponseException`)

// Classify classifies the failed calls of a service by their messages, and groups them as a client's.
func Classify(errs []facts.Error, p facts.Protocol) []facts.Error {
	failures := make([]failure, len(errs))
	for i, e := range errs {
		failures[i] = failure{Message: e.Message, Count: e.Count, Kind: "transport"}
		if statusMessage.MatchString(e.Message) {
			failures[i].Kind = "status"
		}
	}
	return groupErrors(failures, p)
}

// digits differ between messages of one kind.
var digits = regexp.MustCompile(`\d+`)

// groupErrors classifies failures and joins those that differ in numbers only, as different VUs
// report them, keeping the first message verbatim. The order is that of facts.ErrorClasses, then
// the most frequent first.
func groupErrors(failures []failure, p facts.Protocol) []facts.Error {
	out := []facts.Error{}
	at := map[string]int{}
	for _, f := range failures {
		class := classify(f, p)
		key := class + " " + digits.ReplaceAllString(f.Message, "#")
		if i, ok := at[key]; ok {
			out[i].Count += f.Count
			continue
		}
		at[key] = len(out)
		out = append(out, facts.Error{Class: class, Count: f.Count, Message: f.Message})
	}
	slices.SortStableFunc(out, func(a, b facts.Error) int {
		return cmp.Or(
			cmp.Compare(slices.Index(facts.ErrorClasses, a.Class), slices.Index(facts.ErrorClasses, b.Class)),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Message, b.Message))
	})
	return bound(out)
}

// mostErrors bounds the number of kinds; a client has the same bound.
const mostErrors = 50

// bound joins the kinds beyond mostErrors, so that the counts still add up.
func bound(errs []facts.Error) []facts.Error {
	if len(errs) <= mostErrors {
		return errs
	}
	rest := facts.Error{
		Class:   facts.ErrOther,
		Message: fmt.Sprintf("further messages, beyond the %d kept kinds", mostErrors),
	}
	for _, e := range errs[mostErrors:] {
		rest.Count += e.Count
	}
	return append(errs[:mostErrors:mostErrors], rest)
}

package decode

import (
	"slices"
	"strings"
)

// A service answers with a gRPC status: a code and a description in its own words. gRPC's libraries give the same codes for
// their own connection, and then the description has the words of a transport: they decide whose status it is.

// rankAnswer is the rank of a service's own answer.
const rankAnswer = 94

// shared are the codes of gRPC's statuses (grpc/grpc doc/statuscodes.md), and how a description follows: Go's "desc =",
// Python's "details =", Rust's "message:" (and tonic's sentences for the codes), .NET's "Detail=", Java's "description=",
// grpc-swift's number, the codes of Elixir, of Node and of the trailers, Connect's brackets.
var shared = lazily(`\b(?:(?:` + ofBoth + `)["')]{0,2}(?:: |` + describes + `)|` +
	`(?i:(?:code(?:name)?|status(?:code)?)["']? ?[:=.] ?["']?(?:statuscode\.)?|\b\d{1,2} )(?i:not_?found|invalid_?argument|already_?exists|failed_?precondition|aborted|out_?of_?range|data_?loss)["')]{0,2}(?:` + describes + `)|` +
	`[Cc]ode\(\d+\) desc = |` +
	`(?:internal error|unknown|unimplemented|resource exhausted|unavailable|permission denied|unauthenticated) \(\d{1,2}\): |` +
	`(?:stream|watch|subscription|call|rpc)(?: to [\w.:/-]+)? closed(?: since [^:,]{1,24})?: (?:2|7|8|12|13|14|16), |` +
	`(?:(?:status|code)["']?(?:: ?| => ?)|grpc-status[=:] ?)(?:2|7|8|12|13|14|16),? ` +
	`["']?(?:(?:message|details)["']?(?:: ?| => ?)|grpc-message[=:] ?)|` +
	`code: '(?i:the caller does not have permission|the request does not have valid authentication|` +
	`operation is not implemented)[^']*', message: |` +
	`ConnectError: \[(?:internal|unknown|unimplemented|resource_exhausted|unavailable|not_found|invalid_argument|already_exists|` +
	`failed_precondition|aborted|out_of_range|data_loss|permission_denied|unauthenticated)\] )["']?`)

const (
	// ofBoth are the codes that services and libraries give.
	ofBoth = `INTERNAL|UNKNOWN|UNIMPLEMENTED|RESOURCE_EXHAUSTED|UNAVAILABLE|PERMISSION_DENIED|UNAUTHENTICATED|` +
		`Internal|Unknown|Unimplemented|ResourceExhausted|Unavailable|PermissionDenied|Unauthenticated|` +
		`resourceexhausted|permissiondenied|unauthenticated|unimplemented`
	describes = ` desc = |,? ?(?:[Dd]etails? ?[:=] ?|message: |description=)`
)

// sharedWords are parts of words of which every match of shared has one.
var sharedWords = []string{"internal", "unknown", "unimplemented", "exhausted", "unavailable", "status", "connecterror: [",
	" closed: ", " closed since ", "code", "denied", "unauthenticated"}

// Of these codes the description need not decide: no library gives the first by itself; the others it takes from an HTTP
// status (grpc/grpc doc/http-grpc-status-mapping.md) or from credentials that it could not get, and a server that lacks a
// method says so.
var (
	ofServices = lazily(`not_?found|invalid_?arg|already_?exist|precondition|aborted|range|data_?loss|code\(`)
	ofAccess   = lazily(`permission|unauthenticated|does not have|(?:status|code)["']?[^\d]{1,4}(?:7|16)\b|` +
		`closed[^,]*: (?:7|16),|\((?:7|16)\)`)
	fetching = lazily(`from plugin|(?:auth|credential|request) metadata|per-rpc|credentials? (?:plugin|provider)|` +
		`obtain\w* metadata|fetch\w* token|token source|http status`)
	lacks = lazily(`^[^.;]{0,40}(?:(?:unknown|no such) (?:service|method)|(?:method|service)\b[^;]{0,80} ` +
		`(?:not found|not implemented|is unimplemented|not supported|unimplemented)|method not found|` +
		`(?:not (?:yet )?implemented|unimplemented)\b)`)
)

// settles reports whether a code and a description in lower case are a service's own.
func settles(code, said string) bool {
	switch {
	case ofServices().MatchString(code):
		return true
	case ofAccess().MatchString(code):
		return !fetching().MatchString(said)
	}
	return lacks().MatchString(said)
}

// transportWords matches the words that gRPC's libraries have for a connection, a stream, a frame, a message and their ends.
var transportWords = lazily(`connect|stream|transport|channel|socket|\bframe|\breset|\beof\b|end of|http|\bh2|go ?away|going away|\btls\b|` +
	`\bssl\b|handshake|certificate|x509|\bdns\b|name resol|resolver|resolve |\bdial|network|\btcp\b|time-?d? ?out|deadline|unreach|refused|\bpipe\b|` +
	`\bi/?o\b|header|trailer|hpack|compress|flow.control|upstream|proxy|backend|endpoint|closed?\b|closing|keep-?alive|\bpings?\b|` +
	`\bpeer\b|such host|hostname|addresses|half-close|cardinality|sendmsg|recvmsg|serializ|marshal|message|metadata|credential|` +
	`received|\bremoved\b|dropped|cancel|abort|interrupt|\blost\b|shut|drain|\bgone\b|protocol|content-type|` +
	`subchannel|subconn|balancer|picker|children to pick|os error|errno|read error|write error|error (?:read|writ)ing|reading from|` +
	`\be(?:conn|pipe\b|timedout|host|net(?:unreach|down)|addr|notfound|ai_)|bandwidth|retry attempts|incomplete|no value|panic|grpc|\bcall\b|malformed|\bprior to\b|overflow|reboot|crash|restart|\bdown\b|\bexited\b|noproc|offline|resource temporarily|file descriptor`)

// RESOURCE_EXHAUSTED has few descriptions of libraries: a message, its headers or pings that are too many or too large. Who runs out
// of streams, connections or places in a queue and answers so is the service; a proxy sheds the load before it.
var (
	exhaustedWords = lazily(`message|larger|\bframe|header|metadata|trailer|bandwidth|memory|calm|go ?away|\bpings?\b|\brst|\breset|http|` +
		`compress|decod|content-type|flow.control`)
	shed = lazily(`\bshed|fail.?fast|linkerd|overflow`)
)

// empty matches descriptions that say nothing: no words, or "internal error".
var empty = lazily(`^(?:[^a-z0-9]*$|["',}\])]|(?:an? )?(?:(?:internal|unknown|unexpected|unavailable|server|service|error|failure|` +
	`none|null|nil|ok|failed|code|exit|status)[ :.!"'/\d]*)+(?:$|[^a-z ]))`)

// places matches where a program, an address and a piece of configuration are: their names say nothing about a failure.
var places = lazily(`\b(?:upstream|backend|endpoint|proxy) (?:cluster|config\w*|definition|resource|route)s?\b|` +
	`~?\[[\w.-]+\.jar:[^\]\s]*\]|` + framesAndAddresses + `|(?:^|[\s("'=])/[\w.-]+/[^\s"'):]*`)

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
	if !containsAny(t.low, sharedWords) {
		return status, false
	}
	for _, m := range shared().FindAllStringIndex(t.as, mostPlaces) {
		code, said := t.low[m[0]:m[1]], t.description(m[1])
		sure := settles(code, said)
		if !sure {
			words := transportWords
			if ofExhaustion().MatchString(code) {
				words = exhaustedWords
			}
			said = strings.TrimSpace(places().ReplaceAllString(said, " "))
			if empty().MatchString(said) || words().MatchString(said) {
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

// ofExhaustion matches RESOURCE_EXHAUSTED, by its name or its number.
var ofExhaustion = lazily(`exhausted|\b8\b`)

// answeredIn takes a status in a service's own words for an answer, unless a frame, a code or a system's name proves more.
func (p *proofs) answeredIn(t text) {
	p.either = p.Event == onAnswered && p.rank < weak && bareUnknown().MatchString(t.as)
	// what runs out has words of a limit
	limited := p.Code == "" && p.Flags == "" && (p.Event == onLocalLimit && !shed().MatchString(p.low) ||
		p.Event == onStatus && strings.Contains(p.low, "too many requests"))
	if !p.sign || p.Frame != "" || !limited && (p.named() || slices.Contains(settled, p.Event)) {
		return
	}
	status, ok := t.described()
	limited = limited && ok && ofExhaustion().MatchString(t.low[status.at.from:status.at.to])
	defect := p.rank > weak && p.at[aboutEvent].to > status.at.from && p.Event != onNoEvent
	if !ok || !limited && (p.named() || p.Event == onStatus ||
		defect && (p.rank > rankAnswer || !status.sure)) { // a defect is the service's own
		return
	}
	p.Event, p.rank, p.at[aboutEvent], p.never, p.events = onAnswered, rankAnswer, status.at, false, nil
	p.either, p.answer = !status.own, t.as[status.at.from:status.at.to]
}

// bareUnknown matches the status of whoever threw an exception without a status: a service, or a library whose cause is cut off.
var bareUnknown = lazily(`(?:Runtime)?Exception: UNKNOWN(?:\s+at |\s*$)`)

// settled are events that a status's description doesn't change.
var settled = []Event{onAnswered, onStatus, onTooLarge, onNormal}

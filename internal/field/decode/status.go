package decode

import (
	"slices"
	"strings"
)

// A service answers with a gRPC status: a code and a description in its own words. gRPC's libraries give the same codes for
// their own connection, and then the description has the words of a transport: they decide whose status it is.

// rankAnswer is the rank of a service's own answer.
const rankAnswer = 94

// shared are the codes that services and libraries give (grpc/grpc doc/statuscodes.md), and how a description follows:
// Go's "desc =", Python's "details =", Rust's "message:", .NET's "Detail=", Java's "description=", grpc-swift's number, the
// codes of Elixir and of the trailers, Connect's brackets.
var shared = lazily(`\b(?:(?:INTERNAL|UNKNOWN|UNIMPLEMENTED|RESOURCE_EXHAUSTED|UNAVAILABLE|Internal|Unknown|Unimplemented|` +
	`ResourceExhausted|Unavailable)["')]{0,2}(?:: | desc = |,? ?(?:[Dd]etails? ?[:=] ?|message: |description=))|` +
	`(?:internal error|unknown|unimplemented|resource exhausted|unavailable) \((?:2|8|12|13|14)\): |` +
	`\b(?:stream|watch|subscription|call|rpc)(?: to [\w.:/-]+)? closed(?: since [^:,]{1,24})?: (?:2|8|12|13|14), |` +
	`(?:status: |grpc-status[=:] ?)(?:2|8|12|13|14),? (?:message: |grpc-message[=:] ?)|` +
	`ConnectError: \[(?:internal|unknown|unimplemented|resource_exhausted|unavailable|not_found|invalid_argument|already_exists|` +
	`failed_precondition|aborted|out_of_range|data_loss|permission_denied|unauthenticated)\] )["']?`)

// sharedWords are parts of words of which every match of shared has one.
var sharedWords = []string{"internal", "unknown", "unimplemented", "exhausted", "unavailable", "status", "connecterror: [",
	" closed: ", " closed since "}

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

// described is where a text names the status that a service gave in its own words; own is whether the code is one that
// services give more often than libraries.
func (t text) described() (at span, own, ok bool) {
	if !containsAny(t.low, sharedWords) {
		return span{}, false, false
	}
	for _, m := range shared().FindAllStringIndex(t.as, mostPlaces) {
		said, _, _ := strings.Cut(t.low[m[1]:min(len(t.low), m[1]+mostDescription)], "debug_error_string")
		said, _, _ = strings.Cut(said, ", details: [") // tonic's metadata follow
		said = places().ReplaceAllString(said, " ")
		words := transportWords
		if ofExhaustion(t.low[m[0]:m[1]]) {
			words = exhaustedWords
		}
		if said = strings.TrimSpace(said); empty().MatchString(said) || words().MatchString(said) {
			continue
		}
		return span{m[0], m[1]}, !strings.Contains(t.low[m[0]:m[1]], "unavailable") && !strings.Contains(t.low[m[0]:m[1]], "14"), true
	}
	return span{}, false, false
}

// ofExhaustion reports whether a status is RESOURCE_EXHAUSTED, in any spelling.
func ofExhaustion(status string) bool {
	return strings.Contains(status, "exhausted") || strings.HasPrefix(strings.TrimLeft(status, "grpc-status:= "), "8")
}

// answeredIn takes a status in a service's own words for an answer, unless a frame, a code or a system's name proves more.
func (p *proofs) answeredIn(t text) {
	p.either = p.Event == onAnswered && p.rank < weak && bareUnknown().MatchString(t.as)
	// what runs out has words of a limit
	limited := p.Code == "" && p.Flags == "" && (p.Event == onLocalLimit && !shed().MatchString(p.low) ||
		p.Event == onStatus && strings.Contains(p.low, "too many requests"))
	if !p.sign || p.Frame != "" || !limited && (p.named() || slices.Contains(settled, p.Event)) {
		return
	}
	at, own, ok := t.described()
	if limited = limited && ok && ofExhaustion(t.low[at.from:at.to]); !ok || !limited && (p.named() || p.Event == onStatus ||
		p.rank > weak && p.at[aboutEvent].to > at.from && p.Event != onNoEvent) { // a defect is the service's own
		return
	}
	p.Event, p.rank, p.at[aboutEvent], p.never, p.events = onAnswered, rankAnswer, at, false, nil
	p.either, p.answer = !own, t.as[at.from:at.to]
}

// ofService reports whether a place is in the description of a status: no gRPC library says so itself of its pool.
func (t text) ofService(at span) bool {
	if !containsAny(t.low, sharedWords) {
		return false
	}
	m := shared().FindStringIndex(t.as)
	return m != nil && m[1] <= at.from
}

// bareUnknown matches the status of whoever threw an exception without a status: a service, or a library whose cause is cut off.
var bareUnknown = lazily(`(?:Runtime)?Exception: UNKNOWN(?:\s+at |\s*$)`)

// settled are events that a status's description doesn't change.
var settled = []Event{onAnswered, onStatus, onTooLarge, onNormal}

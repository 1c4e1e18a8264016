package decode

import (
	"slices"
	"strings"
)

// whileReading matches texts of a TLS connection that was already in use.
var whileReading = lazily(`ssl_?read|ssl_?write|session_read|close.notify|zero_return|receiv|recv|` +
	`while reading|read failed|body`)

// cutShort matches handshakes that ended before the two sides could disagree, disagreed what they disagree on.
var (
	cutShort  = lazily(`time-?d? ?out|\beof\b|reset|closed|syscall|disconnected|terminated`)
	disagreed = lazily(`certificat|verif|alert|authorit|version|x509|alpn|cipher|record|mismatch|` +
		`expired|trust`)
)

// notInUse are parts of texts of a TLS connection that there was not yet, whatever they say of reading.
var notInUse = []string{"handshake", "(35)", "error 35", "certificate", "verif", "record", "could not be established",
	"frame size"}

var connector = lazily(`error trying to connect: |client error \(connect\)|error\(connect, `)

// badRecord matches alerts about the data of a connection that was already in use, and what .NET says of any record
// that it can't read.
var badRecord = lazily(`bad.record.mac|decryption.failed|cannot determine the frame size`)

// ofTLS tells a failed handshake from a connection that failed in use.
func (p *proofs) ofTLS(t text) {
	// A handshake that timed out has no cause that follows: a failed read beside it is another connection's.
	p.inUse = p.Event == onTLSFailure && (badRecord().MatchString(t.low) && !strings.Contains(t.low, "could not be established") ||
		strings.Contains(t.low, "handshake timeout") && inUse().MatchString(t.low))
	if p.Event == onTLSFailure && whileReading().MatchString(t.low) && !containsAny(t.low, notInUse) && !connector().MatchString(t.low) {
		p.Event, p.rank, p.never = onClosed, weak, false
	}
	p.cut = p.Event == onTLSFailure && cutShort().MatchString(t.low) && !disagreed().MatchString(t.low)
	ended := p.states(onClosed) || p.Speaker == "server" && p.states(onTimedOut)
	if p.Event == onViolation && p.never && ended { // the connection ended before the preface
		if p.Event = onNeverConnected; p.Speaker == "server" {
			p.Event = onServerLine
		}
	}
}

// otherProtocol matches texts of an end that expects another protocol than the other speaks.
var otherProtocol = lazily(`first 5 bytes: (?:4854|1503|4745|3c68)|http/?1|http1|preface|` +
	`support http/?2|http/?2 is not supported|prior knowledge|` +
	`first record|looked like|magic|greeting|unsupported http version|alpn|connect an http1|` +
	`invalid or unrecognized response|content=0000`)

// asciiLength matches lengths that are the letters of HTTP/1.1 or TLS: HTT, HTTP, GET, POS, <ht, and
// 0x15 0x03 of a TLS alert.
var asciiLength = lazily(`\b(?:4740180|1213486160|4670804|5263187|3958900|1347375956|` +
	`1195725856|0x485454|1414022479|` +
	`21536|20527|5459284|1370628|1376515)\b`)

// otherReason matches reasons of an end in order that are no limit.
var otherReason = lazily(`shutdown|shutting|\bstop\b|stopping|restart|reload|idle|max_age|` +
	`upgrade|deploy|draining|drained|maintenance|evict|scal(?:e|ing) (?:down|in)\b|rollout|rebalanc`)

// credentials matches debug data that object to who the client is: Apple's push service sends
// {"reason":"BadCertificate"}.
var credentials = lazily(`(?i)certificate|token|credential|unauthor|forbidden`)

// byProxy matches the answer of a proxy that wants credentials.
var byProxy = lazily(`proxy[ _-]auth|\b407 (?:from proxy|to connect)|\b(?:code|status|response|returned|failed:|http/1\.[01]) ?['":(]*407\b`)

// noAddress matches what programs say of an address that is none: the same call fails again.
var noAddress = lazily(`\b(?:colons|brackets|'[\[\]]'|port) in address|path segment in url|missing protocol scheme|host in request url|` +
	`relative url without|scheme supplied|request url is missing|invalid_url|absolute urls|uriformat|malformedurl|expected url scheme|` +
	`bad_port|empty target|missing address|invalid target address|invalid request uri|curl(?:: \(| error )3\b|host is not specified`)

// ofPings matches texts that object to pings.
var ofPings = lazily(`\bpings?\b|_pings?\b|keepalive|keep-alive`)

// circumstances are what decides between the changes for one event.
func (p *proofs) circumstances(t text) {
	switch p.Event {
	case onLocalLimit:
		p.breaker = strings.Contains(t.low, "circuit") || strings.Contains(t.low, "overflow") ||
			strings.Contains(p.Flags, "UO")
	case onClosed:
		p.idle = strings.Contains(t.low, "idle") && !strings.Contains(t.low, "non-idle")
	case onViolation:
		p.otherProtocol = p.rank == rankProtocol || otherProtocol().MatchString(requestLine().ReplaceAllString(t.low, "")) ||
			asciiLength().MatchString(t.low)
	}
	p.reason = otherReason().MatchString(t.low) && !strings.Contains(t.low, "graceful shutdown goaway") ||
		p.Code == "" && p.states(onViolation)
	p.accused = accused().MatchString(t.low)
	p.forGood = (p.Event == onStatus && forGood().MatchString(t.low) ||
		p.Event == onViolation && strings.Contains(t.low, "content-type")) &&
		!gateway().MatchString(t.low) || p.Event == onStatus && strings.Contains(t.low, "loop detected") // its proxies send it round
	p.quoted = ofApplication().MatchString(t.low) && !strings.Contains(t.low, "transport")
	p.behind = p.quoted && (slices.Contains(certain, p.Event) || p.never && requestOfService().MatchString(t.low))
	p.unsure = p.Event == onLocalLimit && (unavailable().MatchString(t.low) || answeredBy(t.as) != "") &&
		ofAnyone().MatchString(t.low) && !ofProxy().MatchString(t.low)
	p.pings = ofPings().MatchString(t.low) || p.Debug != nil && ofPings().MatchString(*p.Debug)
	p.thrown = p.Speaker == "server" && strings.Contains(t.low, "exception") && !strings.Contains(t.low, "preface")
	p.unfit = p.Debug != nil && credentials().MatchString(*p.Debug) ||
		p.Event == onNeverConnected && (byProxy().MatchString(t.low) || noAddress().MatchString(t.low))
	p.xds = strings.Contains(t.low, "aggregatedresources") || strings.Contains(t.low, "grpc config stream")
}

func orElse(s *string, at span, look func() (*string, span)) (*string, span) {
	if s != nil {
		return s, at
	}
	return look()
}

// ofGRPC matches a gRPC status, whose number is no HTTP/2 error code.
var ofGRPC = lazily(`\b(?:1 cancelled|4 deadline|8 resource|13 internal|14 unavailable)`)

// ofApplication matches gRPC statuses that applications give: a gRPC library gives Unavailable for its own
// connection (grpc/grpc doc/statuscodes.md). The failure is then of a connection behind the server.
var ofApplication = lazily(`code = (?:internal|unknown|aborted|failedprecondition|notfound|` +
	`invalidargument) desc = |` +
	`\b(?:13 internal|2 unknown): |statuscode\.(?:internal|unknown)\b`)

// A pool, a queue or a circuit breaker may be the service's as well as the client's; a proxy sends nothing on that its own one stops.
var (
	ofAnyone = lazily(`pool|circuit|breaker|queue|bulkhead`)
	ofProxy  = lazily(`upstream|envoy|linkerd|\bshed|fail.?fast|overflow|stream`)
)

// requestOfService matches an HTTP request of the service that gave the status.
var requestOfService = lazily(`desc = .*\b(?:get|head|post|put|patch|delete) \W{0,4}https?://`)

// unavailable matches the status that gRPC libraries and applications give, ownConnection what the libraries say with it.
var (
	unavailable = lazily(`code = unavailable desc = |\b14 unavailable: |statuscode\.unavailable\b|exception: unavailable: `)
)

// accused matches words of an error whose code isn't read.
var accused = lazily(`protocol[_ ]?err|internal|compression|flow[_ -]?control|frame[_ -]?size|` +
	`settings[_ ]timeout|(?:framer?|stream|session|parser?|decod(?:e|er|ing)|hpack)[_ -]err|` +
	`calm|excess|invalid|violat|unexpected|illegal|malformed|` +
	`err(?:or)?(?:[_ ]?code)?["'\])]* ?[:=(]+ ?"?(?:0x0*)?[1-9a-f]`)

// gateway matches the answers of a proxy that didn't reach its server.
var gateway = lazily(`\b50[0234]\b`)

// forGood matches answers that come again: the address or the protocol is wrong.
var forGood = lazily(`content-type|\b4(?:0\d|1\d|64)\b`)

// requestLine matches a quoted request, whose version is not the other end's.
var requestLine = lazily(`"[a-z]{3,7} [^" ]+ http/[\d.]+"`)

// inUse matches the calls on a connection that there was, givenUp the end by the caller.
var (
	inUse = lazily(`\b(?:read|write) tcp [^:]*:\d+->`)
)

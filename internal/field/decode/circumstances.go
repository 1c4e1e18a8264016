package decode

import (
	"regexp"
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

var connector = lazily(ofConnector)

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
	ended := p.states(onClosed) || p.Speaker == "server" && p.states(onTimedOut) || t.prefaceUnread()
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

// statedReason matches the reason of a GOAWAY that no field of debug data has, limitReason what may be a request limit's.
var (
	statedReason = lazily(`go_?away\b[^\n]{0,120}?\b(?:reason|text|msg|message|details?|cause|because|due to)\b["']?` +
		`\s?[:=]?\s?["']?([a-z][a-z ]{3,60})`)
	limitReason = lazily(`no[ _]?err|request|limit|keepalive|null|none|goaway|connection|closed|code|max_`)
)

// stated reports whether a GOAWAY gives a reason that is no limit of requests.
func (t text) stated() bool {
	m := statedReason().FindStringSubmatch(t.low)
	return m != nil && !limitReason().MatchString(m[1])
}

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
	case onGoaway:
		p.otherProtocol = p.withoutPreface()
	case onViolation:
		p.otherProtocol = p.rank == rankProtocol || otherProtocol().MatchString(requestLine().ReplaceAllString(t.low, "")) ||
			asciiLength().MatchString(t.low)
	}
	p.reason = otherReason().MatchString(t.low) && !strings.Contains(t.low, "graceful shutdown goaway") ||
		p.Code == "" && p.states(onViolation) || p.Event == onGoaway && t.stated()
	p.accused = accused().MatchString(t.low)
	p.forGood = (p.Event == onStatus && forGood().MatchString(t.low) ||
		p.Event == onViolation && strings.Contains(t.low, "content-type")) &&
		!gateway().MatchString(t.low) || p.Event == onStatus && strings.Contains(t.low, "loop detected") // its proxies send it round
	p.quoted = ofApplication().MatchString(t.low) && !strings.Contains(t.low, "transport") || t.ofStore()
	p.behind = p.quoted && (slices.Contains(certain, p.Event) || p.never && requestOfService().MatchString(t.low)) ||
		slices.Contains(certain, p.Event) && t.quotedIn(p.at[aboutEvent]) ||
		p.shaped && p.rank > rankShape && t.ofService(p.at[aboutEvent])
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

// atSeconds matches the beginning of nghttp's traces.
var atSeconds = lazily(`^\[ *\d+\.\d+\]`)

// traced reports whether a text is a trace of frames.
func (t text) traced() bool {
	return t.has(markRecv, markInbound) || atSeconds().MatchString(t.low) || t.has(markFrame) &&
		(strings.Contains(t.low, "goaway frame <") || strings.Contains(t.low, "goaway frame ("))
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
	unavailable   = lazily(`code = unavailable desc = |\b14 unavailable: |statuscode\.unavailable\b|exception: unavailable: `)
	ownConnection = []string{"transport", "io exception", "all addresses", "error while dialing", "unable to resolve"}
)

// ofStore reports whether a server answers Unavailable because of its database or broker.
func (t text) ofStore() bool {
	return unavailable().MatchString(t.low) && !containsAny(t.low, ownConnection) && stores().MatchString(t.low)
}

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

// grpcNumber matches numbers that are gRPC or HTTP statuses; ofFrame the names of frames.
var (
	grpcNumber = lazily(`grpc error \(code|grpc_call_|callerror|config stream closed|codename|grpc[_-]status|status code: ?\d|` +
		`"code": ?\d+, ?"(?:name|details|metadata)`)
	ofFrame = lazily(`rst_?stream|go_?away|stream reset|errorcode`)
)

// ofCode matches what a number is the error code of: a stream, a frame or a connection of HTTP/2.
var ofCode = lazily(`streams?\b|stream[_ ]?id|frame|reset|go ?away|closed|terminated|nghttp2|h2errors|http2errors?|` +
	`http2?(?:/2)?[ _-](?:connection |stream |protocol |framing )?error|connection error|http2exception|h2[ _-]error|\(err \d`)

// otherNumber reports whether a code is a number of something else: every library has numbers of errors.
func (t text) otherNumber(code span) bool {
	return digit(t.low[code.to-1]) && !ofFrame().MatchString(t.low) &&
		(grpcNumber().MatchString(t.low) || !ofCode().MatchString(t.low))
}

// connecting matches what any failure of a client is wrapped in; inConnect what proves that it still
// connected.
var (
	connecting = lazily(`(?:unable to|failed to|cannot|could not|can't|couldn't|error trying to) (?:connect|dial|reach)|error connecting: `)
	inConnect  = lazily(`dial|tcp connect|connect\(|preface|handshak|tunnel|proxy|socks|resolv|refused|` +
		`unreachable|subchannel|all subconns|addresses|` + ofConnector)
)

// ofConnector matches what hyper says of its connector alone, which makes the connection and TLS on it (hyper's Kind::Connect).
const ofConnector = `error trying to connect: |client error \(connect\)|error\(connect, `

// lostAfter matches the cause behind it that comes over a connection, awaiting what is awaited on one.
var (
	lostAfter = lazily(`\beof|connection (?:was )?lost|reset by peer|econnreset|broken pipe|epipe|hang up|\bclosed\b|disconnected`)
	awaiting  = lazily(`(?:await|wait)ing (?:for )?(?:the )?(?:headers|response|answer|reply)`)
)

// inUse matches the calls on a connection that there was, givenUp the end by the caller.
var (
	inUse   = lazily(`\b(?:read|write) tcp [^:]*:\d+->`)
	givenUp = lazily(`context cancell?ed|(?:request|operation|call|task)(?: was)? (?:cancell?ed|aborted by)|aborted by (?:the )?user`)
)

// overConnection are the events that only a connection that there was has, or that end a call before it is known.
var overConnection = []Event{onClosed, onRstStream, onGoaway, onCancelled}

// innermost takes the cause that follows the words of a failed connect, which any failure of a client is wrapped in.
func (p *proofs) innermost() {
	if p.Event == onNeverConnected && p.rank < rankErrno && p.inner.at.from >= p.at[aboutEvent].to &&
		slices.Contains(overConnection, p.inner.event) && !inConnect().MatchString(p.low) {
		p.Event, p.rank, p.at[aboutEvent], p.never = p.inner.event, p.inner.rank, p.inner.at, false
		p.events = slices.DeleteFunc(p.events, func(e Event) bool { return e == onNeverConnected })
	}
}

// inConnectCall matches the innermost frame of Java's stack, if the failure is the call that connects, inSocketCall if it
// is one that reads or writes: what the system says of it may be in any language.
var (
	inConnectCall = lazily(innermostFrame + `(?:java\.net\.\w*Socket\w*\.socketConnect|` +
		`sun\.nio\.ch\.(?:Net|NioSocketImpl)\.(?:pollConnect|connect0?|timedFinishConnect))\w*\(`)
	inSocketCall = lazily(innermostFrame + `(?:java\.net\.Socket(?:In|Out)putStream\.socket(?:Read|Write)|` +
		`sun\.nio\.ch\.(?:SocketDispatcher|NioSocketImpl)\.\w*[rR]ead|sun\.nio\.ch\.(?:SocketDispatcher|NioSocketImpl)\.\w*[wW]rite|` +
		`sun\.nio\.ch\.FileDispatcherImpl\.\w+\(.{0,400}\bsun\.nio\.ch\.SocketChannelImpl\.)`)
)

// innermostFrame is what stands before the class of the first frame.
const innermostFrame = `^[^()]{0,200}(?:\([^()]*\)[^()]{0,80})? at (?:java\.base/)?`

// wrapped reads the cause after "unable to connect: ": an end of data comes over a connection.
func (p *proofs) wrapped(t text) {
	if said := p.Event != "" && p.rank >= leastPlain; p.Event == onClosed || t.has(markAt) && !said {
		switch {
		case inConnectCall().MatchString(t.as):
			p.Event, p.rank, p.never = onNeverConnected, max(p.rank, rankMade), true
		case !said && inSocketCall().MatchString(t.as):
			p.Event, p.rank = onClosed, weak
		}
	}
	if p.Event != onNeverConnected {
		return
	}
	if p.states(onUnsent) && connecting().MatchString(t.low) && !inConnect().MatchString(t.low) {
		p.Event = onUnsent // not sent, on a connection that there was
		return
	}
	wrapper := connecting().FindStringIndex(t.low)
	if wrapper == nil || inConnect().MatchString(t.low) && (!inUse().MatchString(t.low) || p.rank >= rankErrno) {
		return
	}
	for _, cause := range []struct {
		says  *regexp.Regexp
		event Event
	}{{givenUp(), onCancelled}, {lostAfter(), onClosed}, {awaiting(), onTimedOut}} {
		if at := cause.says.FindStringIndex(t.low[wrapper[1]:]); at != nil {
			p.Event, p.rank, p.never = cause.event, weak, false
			p.at[aboutEvent] = span{wrapper[1] + at[0], wrapper[1] + at[1]}
			p.events = slices.DeleteFunc(p.events, func(e Event) bool { return e == onNeverConnected })
			return
		}
	}
}

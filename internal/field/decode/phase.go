package decode

import "strings"

// A connection that ends while it is being made carried no request: the words after "during" and "while" name the phase
// in which it failed, whatever the library calls the failure.

// phases are parts of words of which every text that names such a phase has one.
var phases = []string{"during", "while", "whilst", "when ", "before ", "prior to"}

// ofProtocol matches the phases that only a program has which makes the connection itself.
// Wrappers of any failure say "connecting" and "opening a connection" too, so the failure has to stand before the phase.
var (
	ofProtocol = lazily(`\bwhen (?:dial(?:l?ing)|handshaking|negotiating)\b|\bduring (?:(?:the|initial|an?) )*negotiation\b|` +
		`\b(?:during|while|whilst) (?:(?:the|an?|its|our|initial|first|performing|doing|in|still|completing|tcp|tls|ssl|https?|http/2|h2|client|` +
		`server|protocol|alpn|secure) ){0,4}(?:` + ofTransport + `(?:[ /-]\w+)? negotiat(?:ion|ing)|negotiating (?:the |an? )?` +
		ofTransport + `|handshak(?:e|ing)|dial(?:l?ing)?|` +
		`(?:name|dns|host(?:name)?|address)[ -](?:resolution|lookup)|resolving (?:the )?(?:host|name|address|dns|domain|[\w-]+\.[\w.-]+)|` +
		`connection[ -](?:establishment|set-?up|attempt|initiation))\b` +
		`|\b(?:before|prior to) (?:[\w/]+ ){0,3}?(?:connection|handshake|negotiation|channel|transport|tunnel) ` +
		`(?:(?:was|is|has|had|could|been|be|got|fully|completely|successfully) )*(?:establish(?:ed|ment)|complet(?:ed?|ion)|finished|` +
		`negotiated|set up|ready)\b`)
	ofMaking = lazily(`^[^\n;]{0,80}?\b(?:during|while|whilst|when|on) (?:(?:initial|the|a|an|tcp) )*(?:connect(?:ing)?\b(?:$|[^-])|` +
		`(?:establishing|opening|setting up|making|initiating|creating|initializing) (?:[\w/]+ ){0,3}?(?:connection|channel|socket|` +
		`session|transport|tunnel)\b)`)
)

// ofAccepted matches the side that did not make the connection.
var ofAccepted = lazily(`\b(?:connection|client|request|session) from (?:client\b|[\[/]?[\da-f]+[.:])|\baccept(?:ed|ing)?\b`)

// ofTransport are what the two ends of a connection negotiate.
const ofTransport = `(?:tls|ssl|alpn|npn|protocol|connection|http/2|h2|version|security)`

// nearPhase is how far from the words of the failure those of the phase stand at most.
const nearPhase = 120

// inPhase reads the phase in which a connection ended or a time ran out. A phase of the protocol tells the event also where
// nothing else but the word of a failure does.
func (p *proofs) inPhase(t text) {
	if !containsAny(t.low, phases) || p.LastStreamID != nil || p.StreamID != nil || p.states(onRstStream) {
		return
	}
	at := p.at[aboutEvent]
	near := t.low[max(0, at.from-nearPhase):min(len(t.low), at.to+nearPhase)]
	switch p.Event {
	case onClosed, onTimedOut:
		if p.Event == onTimedOut && p.never || !ofProtocol().MatchString(near) && !ofMaking().MatchString(t.low[at.from:]) {
			return
		}
	case onNeverConnected, onNoEvent, "":
		if p.rank > rankShape || p.Code != "" || !ofProtocol().MatchString(near) ||
			!gone().MatchString(near) && !strings.Contains(near, "clos") {
			return
		}
	default:
		return
	}
	if at == (span{}) { // near begins where the text does
		m := ofProtocol().FindStringIndex(near)
		at = span{m[0], m[1]}
	}
	p.unmade(at)
	if p.Speaker == "server" || ofAccepted().MatchString(near) {
		p.Event, p.alone = onServerLine, true
	}
}

// A stack or a field names the call that failed too: what it says of the end may be a reset or a time-out.
var (
	setupCalls = lazily(`\b(?:startHandshake|readHandshakeRecord|doHandshake|SSL_do_handshake|performInitialHandshake|` +
		`(?:TCP|Pipe)ConnectWrap\.afterConnect|connectTls)\b ?[(\[]|\bin (?:do_handshake|_ssl_wrap_socket\w*|_connect_sock)\b`)
	setupField = lazily(`\bsyscall["']?\s?[:=]\s?["']?(?:connect|getaddrinfo)\b`)
	useField   = lazily(`\bsyscall["']?\s?[:=]\s?["']?(?:read|write|recv|send|shutdown)`)
	// alert matches the bytes of an alert of TLS in the place of a frame: plain text was sent to a port of TLS.
	alert = lazily(`\b(?:bytes?|dump|got|received|preface|data)\b[^\n]{0,40}?\b(?:0x)?15[ :]?(?:0x)?03[ :]?(?:0x)?0[0-4]`)
)

// setupWords are parts of words of which every text with such a call has one.
var setupWords = []string{"handshak", "connectwrap", "connecttls", "_connect_sock", "syscall", "_ssl_wrap"}

// inSetup reads the call in which a connection ended or a time ran out: it carried no request yet.
func (p *proofs) inSetup(t text) {
	if p.Event == onViolation && p.rank > weak && !p.states(onRstStream) && strings.Contains(t.low, "15") && alert().MatchString(t.low) {
		p.never = true
	}
	if !containsAny(t.low, setupWords) || p.Speaker == "server" || p.LastStreamID != nil || p.StreamID != nil || p.states(onRstStream) {
		return
	}
	switch p.Event {
	case onClosed, onTimedOut:
	case onNoEvent, "":
		if !setupField().MatchString(t.low) || !strings.Contains(t.low, "errno") {
			return
		}
	default:
		return
	}
	at := setupField().FindStringIndex(t.low)
	if at == nil {
		if at = setupCalls().FindStringIndex(t.as); at != nil && at[0] < p.at[aboutEvent].from { // of another failure
			return
		}
	}
	if at == nil || useField().MatchString(t.low) || strings.Contains(t.low[:at[0]], "suppressed:") {
		return
	}
	p.unmade(span{at[0], at[1]})
}

// refusedByProxy takes the status of a proxy that was asked to dial for that: a tunnel that there is not carries no request.
func (p *proofs) refusedByProxy(t text) {
	if p.Event == onStatus && p.StreamID == nil && strings.Contains(t.low, "while dialing") {
		p.unmade(span{})
	}
}

// unmade takes a failure for that of a connection that was not made. The words that tell so count where no others did.
func (p *proofs) unmade(at span) {
	p.Event, p.rank, p.never, p.shaped = onNeverConnected, max(p.rank, rankMade), true, false
	if p.at[aboutEvent] == (span{}) {
		p.at[aboutEvent] = at
	}
}

// Each side of HTTP/2 begins with its preface (RFC 9113, section 3.4): where one did not come or is none, no request was processed.
var (
	// prefaceRead matches the call that reads the other side's preface, with why it failed.
	prefaceRead = lazily(`\b(?:error|failed|failure|unable|could not|cannot|while|when)(?: to)? (?:read(?:ing)?|receiv(?:e|ing)) ` +
		`(?:the )?(?:(?:http/2|h2|client|server|connection) )*preface(?: from (?:client |server )?\S+?)?: (.*)`)
	// noPreface matches causes that are about the bytes that were read: another protocol's.
	noPreface = lazily(`frame|stream|error code|looked like|greeting|unexpected|invalid|malformed|magic|too large|http/1|bad |corrupt|bytes`)
	// badPreface matches bytes that are no preface.
	badPreface = lazily(`\b(?:invalid|bad|unexpected|missing|malformed|corrupt|illegal|wrong|incorrect|unrecognized)[ _-](?:(?:http/?2|h2|client|` +
		`server|connection)[ _-])*(?:preface|magic|preamble)|\bpreface(?: string)? (?:(?:is|was) )?(?:invalid|missing|corrupt|malformed|incorrect|wrong)\b`)
)

// prefaceUnread reports whether the connection failed while this side waited for the other one's preface.
func (t text) prefaceUnread() bool {
	if !strings.Contains(t.low, "preface") {
		return false
	}
	m := prefaceRead().FindStringSubmatch(t.low)
	return m != nil && !noPreface().MatchString(strings.ReplaceAll(m[1], "unexpected eof", "eof"))
}

// withoutPreface reports whether a server got something else than a client's preface. A client may have sent its request before it read
// the server's.
func (p *proofs) withoutPreface() bool {
	return containsAny(p.low, []string{"preface", "magic", "preamble"}) && badPreface().MatchString(p.low) &&
		(p.Speaker == "server" || p.Event == onGoaway && p.Direction == received || strings.Contains(p.low, "client "))
}

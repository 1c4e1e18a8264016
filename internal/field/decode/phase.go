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
		if p.rank > rankShape || p.Code != "" || !ofProtocol().MatchString(near) || !gone().MatchString(near) && !strings.Contains(near, "clos") {
			return
		}
	default:
		return
	}
	p.Event, p.rank, p.never, p.shaped = onNeverConnected, rankMade, true, false
	if p.at[aboutEvent] == (span{}) {
		m := ofProtocol().FindStringIndex(near)
		p.at[aboutEvent] = span{m[0], m[1]}
	}
	if p.Speaker == "server" || ofAccepted().MatchString(near) {
		p.Event, p.alone = onServerLine, true
	}
}

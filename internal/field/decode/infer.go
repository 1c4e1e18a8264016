package decode

import (
	"slices"
	"strings"
)

// eventKinds are the kinds of the events that need no error code.
var eventKinds = map[Event]Kind{
	onNeverConnected: Unreached, onTLSFailure: TLSFailed, onLocalLimit: LimitReached, onUnsent: NotSent,
	onViolation: Malformed,
	onCancelled: GaveUp, onClosed: Lost, onTimedOut: TimeUp, onServerLine: ServerLog,
	onAnswered: Unrelated, onStatus: Status, onTooLarge: TooLarge, onNoEvent: Unclear,
}

// stores matches the names of databases and brokers that an application quotes in a gRPC status.
var stores = lazily(`mysql|mariadb|postgres|\bpq:|sqlstate|\bsql\b|jdbc|redis|mongo|database|\bdb (?:connection )?pool|hikari|` +
	`duplicate key|` +
	`nil pointer|null ?pointer|index out of`)

// ofUnknown matches the status of an application's own error (grpc/grpc doc/statuscodes.md).
var ofUnknown = lazily(`code = unknown desc = |\b2 unknown: |statuscode\.unknown\b|exception: unknown: `)

// anyProtocol are kinds that connections of any protocol have.
var anyProtocol = []Kind{Lost, Unreached, TLSFailed, TimeUp, GaveUp}

// leastPlain is the least rank at which an event counts without a sign of HTTP/2.
const leastPlain = 50

// kind is what the text proves without its library, "" if it proves nothing.
func (p *proofs) kind() Kind {
	k := p.eventKind()
	switch {
	case p.sign && p.rank <= rankShape && p.Code == "" && (stores().MatchString(p.low) ||
		p.rank == rankShape && ofUnknown().MatchString(p.low) && !strings.Contains(p.low, "transport")):
		return Unrelated // an answer that quotes the application's own error
	case k == "" || p.sign || p.alone || p.ofGateway():
	case ofAnother(p.low):
		return Unrelated
	case k == Reset && p.rank < rankStream:
		return "" // other protocols have streams too
	case p.rank == rankShape && !slices.Contains(anyProtocol, k):
		return ""
	case p.rank >= leastPlain && k != Unclear && k != Unrelated && k != Status && k != TooLarge && k != ServerLog:
		if p.Speaker == "server" && (k == Malformed && !p.never && p.rank > weak || slices.Contains(ofServers, k)) && !p.ofHandler() {
			return ServerLog // of HTTP/1, garbage on its port too
		}
		return Plain
	default:
		return ""
	}
	if p.Speaker == "server" && slices.Contains(ofServers, k) && !p.ofHandler() {
		return ServerLog
	}
	return k
}

// ofServers are kinds that are a server's own log if a server writes of them: no request failed for
// its reader.
var ofServers = []Kind{Ended, GaveUp, Announced, Accepted, Unprocessed, Lost, Reset, Cancelled}

// ofHandler reports whether Node's server threw an error because a connection closed while it answered a request: the
// request counts more than whose log has it.
func (p *proofs) ofHandler() bool {
	return p.Event == onClosed && strings.Contains(p.low, "'error' event on serverhttp2stream")
}

// eventKind is the kind of the event and the error code.
func (p *proofs) eventKind() Kind {
	switch p.Event {
	case onGoaway:
		return p.goawayKind()
	case onCalm:
		return p.calmKind()
	case onRstStream:
		return p.resetKind()
	case onLocalLimit:
		if p.Code != "" {
			return p.codeKind()
		}
		if p.Speaker == "server" && strings.Contains(p.low, "stream") { // of a client that opened too many
			return Refused
		}
	case onViolation:
		if slices.Contains([]string{"ENHANCE_YOUR_CALM", "NO_ERROR", "REFUSED_STREAM", "CANCEL"}, p.Code) ||
			p.Code == "INTERNAL_ERROR" && p.rank <= weak ||
			p.Code != "" && p.ended && !p.states(onRstStream) && (p.Direction == received || p.within(aboutEvent, aboutCode)) {
			return p.codeKind()
		}
	default:
		if p.rank <= weak && p.Code != "" || p.Event == onClosed && p.Code == "REFUSED_STREAM" && p.states(onRstStream) {
			return p.codeKind()
		}
	}
	return eventKinds[p.Event]
}

// within reports whether the words of one statement are a part of another's, or of its prefix.
func (p *proofs) within(a, b int) bool {
	return p.at[a].from >= p.at[b].from-len("nghttp2_") && p.at[a].to <= p.at[b].to
}

func (p *proofs) calmKind() Kind {
	// "too many pings without sending data" is about the client's pings
	if p.Direction == sent && p.Speaker != "server" && !ofPings().MatchString(p.low) {
		return Choked
	}
	return Calm
}

// goawayKind is what a GOAWAY means for the request.
func (p *proofs) goawayKind() Kind {
	switch p.Code {
	case "ENHANCE_YOUR_CALM":
		return p.calmKind()
	case "INTERNAL_ERROR":
		if p.Debug != nil && *p.Debug == "" && p.Direction != sent {
			return Exhausted
		}
		return Failed
	case "", "NO_ERROR":
	default: // REFUSED_STREAM too: of a whole connection it says nothing of a stream (RFC 9113, section 8.7)
		return p.failed()
	}
	last := p.LastStreamID
	switch {
	case p.Speaker == "server" && p.Direction == sent:
		return ServerEnded
	case p.Direction == sent: // its id counts the other side's streams
		return Ended
	case p.announced():
		return Announced
	case p.StreamID != nil && last != nil && *p.StreamID > *last, p.nothingProcessed():
		return Unprocessed
	case p.Unsent:
		return NotSent
	case p.StreamID != nil && last != nil:
		return Accepted
	}
	return Ended
}

func (p *proofs) resetKind() Kind {
	switch p.Code {
	case "":
		if p.cancelled {
			return Cancelled
		}
	case "REFUSED_STREAM":
		return Refused
	case "CANCEL":
		if p.Direction == sent && p.Speaker != "server" && p.states(onCancelled) { // the writer did, for its caller
			return GaveUp
		}
		return Cancelled
	case "ENHANCE_YOUR_CALM":
		return Calm
	}
	return Reset
}

// codeKind is the meaning of an error code without a frame: of the connection, unless the text
// speaks of a stream.
func (p *proofs) codeKind() Kind {
	switch p.Code {
	case "REFUSED_STREAM":
		return Refused
	case "CANCEL":
		if p.Event == onClosed && !p.states(onRstStream) {
			return Lost
		}
		return Cancelled
	case "ENHANCE_YOUR_CALM":
		return p.calmKind()
	case "CONNECT_ERROR": // Dart's name for a connection that is gone
		return Lost
	case "NO_ERROR":
		return Ended
	}
	return p.failed()
}

// failed is what an error code means: a breach of the protocol that this side found, or one that the
// other side told it of.
func (p *proofs) failed() Kind {
	switch {
	case (p.Direction == sent || p.Speaker == "server") && p.Code != "INTERNAL_ERROR":
		return Malformed
	case p.ofOneStream():
		return Reset
	}
	return Failed
}

// ofOneStream reports whether a code without a frame is that of the stream which the text names.
func (p *proofs) ofOneStream() bool {
	return p.Frame == "" && p.LastStreamID == nil && p.StreamID != nil && *p.StreamID != 0 &&
		!containsAny(p.low, []string{"connection error", "goaway", "go_away", "connection closed"})
}

// also are the kinds of the other events that the text states, of a server's log that of the event too.
func (p *proofs) also(k Kind) []Kind {
	out := []Kind{}
	for _, e := range p.events {
		other := eventKinds[e]
		if other == ServerLog && p.Direction == received { // "graceful shutdown" is here the client's name for a GOAWAY
			continue
		}
		if (e != p.Event || k == ServerLog) && other != "" && other != k && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	if p.states(onRstStream) && p.Event != onRstStream && k != Reset {
		out = append(out, Reset)
	}
	slices.Sort(out)
	return out
}

// codesOf are the error codes that a kind can have; a kind that isn't here can have any.
var codesOf = map[Kind][]string{
	Unprocessed: {"", "NO_ERROR"}, Accepted: {"", "NO_ERROR"}, Ended: {"", "NO_ERROR"}, Announced: {"", "NO_ERROR"},
	Calm: {"", "ENHANCE_YOUR_CALM"}, Choked: {"", "ENHANCE_YOUR_CALM"}, Refused: {"", "REFUSED_STREAM", "NO_ERROR"},
	Cancelled: {"", "CANCEL"}, Retried: {"", "NO_ERROR", "REFUSED_STREAM"}, Reset: nil,
}

// certain are events that no library's semantics can turn into another.
var certain = []Event{onNeverConnected, onTLSFailure, onLocalLimit}

// refine is the kind with what the signature adds. A signature that contradicts the proofs is
// dropped; dropped says so.
func (p *proofs) refine(s *Signature) (k Kind, dropped bool) {
	if p.Event == onNormal {
		return "", false
	}
	p.sign = p.sign || s != nil && s.Kind != Unrelated
	k = p.kind()
	if s == nil || s.Kind == "" || k == ServerLog && !serverKind(s.Kind) {
		return k, false
	}
	if codes, ok := codesOf[s.Kind]; ok && codes != nil && !slices.Contains(codes, p.Code) {
		return k, true
	}
	if p.Speaker == "server" && s.Kind == Failed && k != "" {
		return k, false
	}
	if s.General && k != Plain && (p.rank > weak || p.Code != "" && k != Lost && k != "") {
		return k, false
	}
	if slices.Contains(certain, p.Event) && k != s.Kind && p.rank > rankCode &&
		!serverKind(s.Kind) && s.Kind != Unrelated {
		return k, true
	}
	switch s.Kind {
	case Ended, Accepted:
		if p.Event == onGoaway || p.Code != "" {
			if g := p.goawayKind(); g != Ended && g != NotSent {
				return g, false
			}
		}
	case Reset:
		return p.resetKind(), false
	}
	return s.Kind, false
}

func serverKind(k Kind) bool {
	switch k {
	case ServerLog, ServerEnded, ServerSkipped, Flood, Shortage, HandshakeLost, Obsolete:
		return true
	}
	return false
}

package decode

import (
	"slices"
	"strings"
)

// Kind, the third stage: what happened, from the facts and from the library whose text it is.

// Kind is what happened to a request or a connection, whichever program reports it.
type Kind string

// The kinds. data/kinds.toml has what each means for the request.
const (
	Unprocessed   Kind = "goaway-unprocessed"    // above the last stream id
	Accepted      Kind = "goaway-accepted-lost"  // at or below it, and no answer came
	Ended         Kind = "goaway"                // a GOAWAY; the text doesn't say whether it covers the request
	Announced     Kind = "goaway-announced"      // 2^31 − 1: the first of two stages
	NotSent       Kind = "not-sent"              // the client never sent it
	Exhausted     Kind = "reset-bucket"          // INTERNAL_ERROR without debug data: nghttp2's rate limit
	Calm          Kind = "goaway-calm"           // ENHANCE_YOUR_CALM
	Failed        Kind = "goaway-error"          // another code: the connection failed
	Refused       Kind = "stream-refused"        // REFUSED_STREAM
	Cancelled     Kind = "stream-cancelled"      // CANCEL
	Reset         Kind = "stream-reset"          // another code, or none named
	Lost          Kind = "connection-lost"       // it closed while the request was open
	Confused      Kind = "client-state"          // the client's own state machine failed after a GOAWAY
	Unreached     Kind = "never-connected"       // refused, not resolved, unreachable
	TLSFailed     Kind = "tls-failure"           // the handshake or the certificate
	LimitReached  Kind = "local-limit"           // a pool, a queue or a circuit breaker on this side
	Malformed     Kind = "protocol-violation"    // frames or headers that the protocol doesn't allow
	GaveUp        Kind = "caller-cancelled"      // the program itself gave up
	TimeUp        Kind = "timeout"               // no answer in time
	Choked        Kind = "client-reset-limit"    // the client ended the connection: too many resets
	Retried       Kind = "retried"               // the client sent it again by itself
	NoReconnect   Kind = "no-reconnect"          // the client never connects again
	ServerLog     Kind = "server-log"            // a server's log of an end, a reload or a limit
	ServerEnded   Kind = "server-sent-goaway"    // a server's log of its own GOAWAY
	ServerSkipped Kind = "server-skipped-stream" // a server's log of dropping a stream
	Flood         Kind = "server-flood"          // nginx's flood check
	Shortage      Kind = "server-shortage"       // worker_connections ran out
	HandshakeLost Kind = "server-handshake-lost" // a client left during the handshake
	Obsolete      Kind = "server-config"         // a removed directive
	TooLarge      Kind = "message-too-large"     // a gRPC message beyond one side's limit
	Status        Kind = "http-status"           // a proxy or a server answered
	Unrelated     Kind = "unrelated"             // known, and not caused by HTTP/2
	Plain         Kind = "plain-connection"      // a connection error without a sign of HTTP/2
	Ambiguous     Kind = "ambiguous"             // several causes have this text
	Unclear       Kind = "unknown"               // about HTTP/2 or gRPC, but the text doesn't say what happened
)

// Answer says whether a request was executed.
type Answer string

// The answers; "" if the text is not about a request.
const (
	No      Answer = "no"
	Maybe   Answer = "maybe"
	Yes     Answer = "yes"
	CantSay Answer = "unknown"
)

// Again says which requests may be sent again.
type Again string

// The answers; "" if the text is not about a request.
const (
	Safe        Again = "safe"          // any request
	Idempotents Again = "if-idempotent" // only what may run twice
	Useless     Again = "useless"       // it fails again until something is changed
)

// kindOf is what happened, "" if nothing did that decode is about: what the facts prove, with what the signature adds. A signature that
// contradicts them is dropped.
func kindOf(e evidence, s *Signature) (k Kind, dropped bool) {
	if e.Event == onNormal {
		return "", false
	}
	if k = e.kind(); k == Plain && (s == nil || s.General) && !e.witnessed() {
		return "", false
	}
	switch {
	case s == nil || s.Kind == "" || k == ServerLog && !serverKind(s.Kind):
		return k, false
	case len(rules()[s.Kind].Codes) > 0 && !slices.Contains(rules()[s.Kind].Codes, e.Code):
		return k, true
	case e.Speaker == "server" && s.Kind == Failed && k != "",
		s.General && k != Plain && (e.rank > weak || e.Code != "" && k != Lost && k != ""):
		return k, false
	case slices.Contains(certain, e.Event) && k != s.Kind && e.rank > rankCode && !serverKind(s.Kind) && s.Kind != Unrelated:
		return k, true
	case s.Kind == Reset:
		return e.resetKind(), false
	case (s.Kind == Ended || s.Kind == Accepted) && (e.Event == onGoaway || e.Code != ""):
		if g := e.goawayKind(); g != Ended && g != NotSent {
			return g, false
		}
	}
	return s.Kind, false
}

func serverKind(k Kind) bool {
	return slices.Contains([]Kind{ServerLog, ServerEnded, ServerSkipped, Flood, Shortage, HandshakeLost, Obsolete}, k)
}

// certain are events that no library's semantics can turn into another.
var certain = []Event{onNeverConnected, onTLSFailure, onLocalLimit}

// anyProtocol are kinds that connections of any protocol have.
var anyProtocol = []Kind{Lost, Unreached, TLSFailed, TimeUp, GaveUp}

// ofServers are kinds that are a server's own log if a server writes of them: no request failed for
// its reader.
var ofServers = []Kind{Ended, GaveUp, Announced, Accepted, Unprocessed, Lost, Reset, Cancelled}

// kind is what the text proves without its library, "" if it proves nothing.
func (e evidence) kind() Kind {
	k := e.eventKind()
	serves := e.Speaker == "server" && !e.ofHandler()
	switch {
	case e.sign && e.rank <= rankShape && e.Code == "" && (re("stores").MatchString(e.low) ||
		e.rank == rankShape && re("ofUnknown").MatchString(e.low) && !strings.Contains(e.low, "transport")):
		return Unrelated // an answer that quotes the application's own error
	case k == "" || e.sign || e.alone:
	case ofAnother(e.low):
		return Unrelated
	case k == Reset && e.rank < rankStream: // other protocols have streams too
		return ""
	case e.rank == rankShape && !slices.Contains(anyProtocol, k), e.rank < leastPlain,
		slices.Contains([]Kind{Unclear, Unrelated, Status, TooLarge, ServerLog}, k):
		return ""
	case serves && (k == Malformed && !e.never && e.rank > weak || slices.Contains(ofServers, k)):
		return ServerLog // of HTTP/1, garbage on its port too
	default:
		return Plain
	}
	if serves && slices.Contains(ofServers, k) {
		return ServerLog
	}
	return k
}

// witnessed reports whether a text without a sign of HTTP/2 says that something failed. Words that also name a setting, a file or a number
// need a level, an exception, an error's number or a verb beside them, or an error's place: a clause of their own. A success on the line
// takes all that back, and so does a sentence about what programs do.
func (e evidence) witnessed() bool {
	at, told := e.at[aboutEvent], re("witnessed").MatchString(e.as)
	words, around := e.as[at.from:at.to], e.as[max(0, at.from-1):at.from]+e.as[at.to:min(len(e.as), at.to+1)]
	name := words == e.low[at.from:at.to] && strings.ContainsAny(around, "-_./@")
	switch {
	case e.rank > rankTime && !name && !re("onlyNumber").MatchString(words):
		return true
	case re("succeeds").MatchString(e.as) && !re("thrown").MatchString(e.as):
		return false
	case name || told:
		return told
	}
	before, after := strings.TrimRight(e.as[:at.from], "\"'`( "), strings.TrimLeft(e.as[at.to:], "\"'`)] ")
	return (before == "" || strings.ContainsAny(before[len(before)-1:], ":>")) &&
		(after == "" || strings.ContainsAny(after[:1], ".,;:(-|!"))
}

// ofAnother reports whether a text in lower case is about another protocol. The names of source files don't count: client-go's cache is in
// memcache.go. Nor do other words where Go names the request that failed (net/url, Error): it went over HTTP.
func ofAnother(low string) bool {
	return re("notHTTP").MatchString(low) && !(strings.Contains(low, "\"http") && re("byHTTP").MatchString(low)) &&
		re("notHTTP").MatchString(re("sourceFile").whole().ReplaceAllString(low, ""))
}

// ofHandler reports whether Node's server threw an error because a connection closed while it answered a request: the
// request counts more than whose log has it.
func (e evidence) ofHandler() bool {
	return e.Event == onClosed && strings.Contains(e.low, "'error' event on serverhttp2stream")
}

// eventKind is the kind of the event and the error code.
func (e evidence) eventKind() Kind {
	switch e.Event {
	case onGoaway:
		return e.goawayKind()
	case onCalm:
		return e.calmKind()
	case onRstStream:
		return e.resetKind()
	case onLocalLimit:
		if e.Code != "" {
			return e.codeKind()
		}
		if e.Speaker == "server" && strings.Contains(e.low, "stream") { // of a client that opened too many
			return Refused
		}
	case onViolation:
		words, code := e.at[aboutEvent], e.at[aboutCode]
		within := words.from >= code.from-len("nghttp2_") && words.to <= code.to // the words are the code's name
		if slices.Contains([]string{"ENHANCE_YOUR_CALM", "NO_ERROR", "REFUSED_STREAM", "CANCEL"}, e.Code) ||
			e.Code == "INTERNAL_ERROR" && e.rank <= weak ||
			e.Code != "" && e.ended && !e.states(onRstStream) && (e.Direction == received || within) {
			return e.codeKind()
		}
	default:
		if e.rank <= weak && e.Code != "" || e.Event == onClosed && e.Code == "REFUSED_STREAM" && e.states(onRstStream) {
			return e.codeKind()
		}
	}
	return kindOfEvent()[e.Event]
}

// byClient reports whether the writer, who isn't a server, did what the text tells.
func (e evidence) byClient() bool { return e.Direction == sent && e.Speaker != "server" }

func (e evidence) calmKind() Kind {
	// "too many pings without sending data" is about the client's pings
	if e.byClient() && !re("ofPings").MatchString(e.low) {
		return Choked
	}
	return Calm
}

// goawayKind is what a GOAWAY means for the request.
func (e evidence) goawayKind() Kind {
	switch e.Code {
	case "ENHANCE_YOUR_CALM":
		return e.calmKind()
	case "INTERNAL_ERROR":
		if e.Debug != nil && *e.Debug == "" && e.Direction != sent {
			return Exhausted
		}
		return Failed
	case "", "NO_ERROR":
	default: // REFUSED_STREAM too: of a whole connection it says nothing of a stream (RFC 9113, section 8.7)
		return e.failed()
	}
	last := e.LastStreamID
	switch {
	case e.Speaker == "server" && e.Direction == sent:
		return ServerEnded
	case e.Direction == sent: // its id counts the other side's streams
		return Ended
	case last != nil && *last == maxID:
		return Announced
	case e.StreamID != nil && last != nil && *e.StreamID > *last, e.nothingProcessed():
		return Unprocessed
	case e.Unsent:
		return NotSent
	case e.StreamID != nil && last != nil:
		return Accepted
	}
	return Ended
}

// nothingProcessed reports whether a GOAWAY's last stream id is 0. A client's own GOAWAY has 0 because servers open no streams.
func (e evidence) nothingProcessed() bool {
	return e.Event == onGoaway && e.LastStreamID != nil && *e.LastStreamID == 0 && e.Direction == received
}

func (e evidence) resetKind() Kind {
	switch at := e.at[aboutEvent]; e.Code {
	case "":
		if e.Event == onRstStream && strings.Contains(e.low[at.from:at.to], "cancel") {
			return Cancelled
		}
	case "REFUSED_STREAM":
		return Refused
	case "CANCEL":
		if e.byClient() && e.states(onCancelled) { // the writer did, for its caller
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
func (e evidence) codeKind() Kind {
	switch e.Code {
	case "REFUSED_STREAM":
		return Refused
	case "CANCEL":
		if e.Event == onClosed && !e.states(onRstStream) {
			return Lost
		}
		return Cancelled
	case "ENHANCE_YOUR_CALM":
		return e.calmKind()
	case "CONNECT_ERROR": // Dart's name for a connection that is gone
		return Lost
	case "NO_ERROR":
		return Ended
	}
	return e.failed()
}

// failed is what an error code means: a breach of the protocol that this side found, or one that the
// other side told it of. Without a frame it is that of the stream which the text names.
func (e evidence) failed() Kind {
	switch {
	case (e.Direction == sent || e.Speaker == "server") && e.Code != "INTERNAL_ERROR":
		return Malformed
	case e.Frame == "" && e.LastStreamID == nil && e.StreamID != nil && *e.StreamID != 0 &&
		!containsAny(e.low, []string{"connection error", "goaway", "go_away", "connection closed"}):
		return Reset
	}
	return Failed
}

// also are the kinds of the other events that the text states, of a server's log that of the event too.
func (e evidence) also(k Kind) []Kind {
	out := []Kind{}
	for _, event := range e.events {
		other := kindOfEvent()[event]
		if other == ServerLog && e.Direction == received { // "graceful shutdown" is here the client's name for a GOAWAY
			continue
		}
		if (event != e.Event || k == ServerLog) && other != "" && other != k && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	if e.states(onRstStream) && e.Event != onRstStream && k != Reset {
		out = append(out, Reset)
	}
	slices.Sort(out)
	return out
}

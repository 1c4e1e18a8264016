package decode

import (
	"slices"
	"strings"
)

// proofs are what a text proves, whichever library wrote it.
type proofs struct {
	Facts
	at     [aboutMost]span
	rank   int // of the event
	sign   bool
	ended  bool // the text also says that the connection closed
	alone  bool // only programs of this field write of the event so
	never  bool // the words of the event prove that the request was not processed
	low    string
	events []Event // all that the text states, but for the weakest
	guards []*guard
	// operating is set for a log line whose level is no failure.
	operating bool
	// what decides between the changes
	breaker, idle, otherProtocol, pings, reason, inUse, accused, forGood, behind, cut, unfit, xds, thrown, tried, unsure bool
	cancelled, quoted, shaped, general, either                                                                           bool
	// answer is the HTTP status that came back, or the gRPC status before a service's own words.
	answer string
}

// rankDefect is the rank of a program's defect, rankGoaway that of a frame that ends a connection, rankCode that of an error code without a
// frame, weak the highest rank that a code overrules.
const (
	rankLine   = 97
	rankGoaway = 95
	rankFlag   = 83
	// rankStream is the rank of texts of a stream's reset.
	rankStream = 78
	// rankProtocol is the rank of texts of an end that expects another protocol.
	rankProtocol = 85
	rankCode     = 64
	weak         = 60
	rankShape    = 52
)

// prove reads a text, whose words are spelled and whose phrases are found, by the grammar.
func (b *book) prove(t text, said spelled, phrases []*phrase) proofs {
	p := b.claims(t, said, phrases)
	p.low = t.low
	p.Code, p.at[aboutCode] = t.code()
	if p.at[aboutCode].to <= t.ofThisSide() {
		p.Code, p.at[aboutCode] = "", span{}
	}
	p.LastStreamID, p.at[aboutLast] = t.last()
	p.StreamID, p.at[aboutStream] = t.own()
	t.framed(&p)
	if p.Code == "INTERNAL_ERROR" {
		p.Debug, p.at[aboutDebug] = orElse(p.Debug, p.at[aboutDebug], t.debug)
	}
	t.proxied(&p)
	t.numbered(&p)
	p.sign = p.sign || p.StreamID != nil
	if p.Event == onNeverConnected && p.states(onRstStream) && p.Code != "" { // a code came over a connection
		p.Event, p.never = onRstStream, false
	}
	if p.Event == onNeverConnected && p.rank < rankErrno && p.StreamID != nil && (p.states(onRstStream) || p.Code != "") {
		p.Event, p.never = onRstStream, false // a stream, too
	}
	p.ofTLS(t)
	p.answeredIn(t)
	switch p.Event {
	case onGoaway:
		p.Frame = "GOAWAY"
	case onRstStream:
		p.Frame = "RST_STREAM"
	case onClosed:
		if p.rank > rankLine { // a GOAWAY that could not be sent
			p.Frame = "GOAWAY"
		}
	}
	if p.Frame != "" && p.Code == "" {
		p.Code, p.at[aboutCode] = t.codeOfFrame(strings.Contains(t.low, "grpc") || ofGRPC().MatchString(t.low))
	}
	t.reasoned(&p)
	p.cancelled = p.Event == onRstStream && strings.Contains(t.low[p.at[aboutEvent].from:p.at[aboutEvent].to], "cancel")
	p.Scope = scopes[p.Event]
	p.direction(t)
	p.count()
	return p
}

// framed reads a GOAWAY by its name or its last stream id.
func (t text) framed(p *proofs) {
	at, ok := t.goaway()
	if ok && p.Event == onServerLine {
		if _, where := t.debug(); inside([]span{where}, p.at[aboutEvent]) { // the debug data say why it ended
			p.rank = weak
		}
	}
	if (ok || p.LastStreamID != nil) && p.rank < rankLine {
		if !ok {
			at = p.at[aboutLast]
		}
		p.ended = p.ended || p.Event == onClosed
		if p.Event != onCalm || p.Code != "" && p.Code != "NO_ERROR" {
			p.rank = min(p.rank, rankGoaway-1)
		}
		p.event(onGoaway, rankGoaway, at)
	}
}

// scopes are what the events end.
var scopes = map[Event]string{onGoaway: "connection", onClosed: "connection", onTLSFailure: "connection",
	onRstStream: "stream", onNeverConnected: "none", onLocalLimit: "none", onUnsent: "none"}

func (p *proofs) state(e Event) {
	if !p.states(e) {
		p.events = append(p.events, e)
	}
}

func (p *proofs) states(e Event) bool { return slices.Contains(p.events, e) }

// event sets the event if it is proved more narrowly than the one that was found before.
func (p *proofs) event(e Event, rank int, at span) {
	if rank > p.rank {
		p.Event, p.rank, p.at[aboutEvent] = e, rank, at
	}
}

// claims finds the phrases of the grammar.
func (b *book) claims(t text, said spelled, phrases []*phrase) (p proofs) {
	speaker, inner := 0, t.ofThisSide()
	mute := t.mute()
	for _, ph := range phrases {
		if ph.sign && p.sign || ph.speaker != "" && ph.rank <= speaker {
			continue
		}
		at, ok := mute.find(ph, said)
		if !ok || !ph.stands(said.words) {
			continue
		}
		switch {
		case ph.guard != nil:
			p.guards = append(p.guards, ph.guard)
		case ph.sign:
			p.sign = true
		case ph.speaker != "":
			p.Speaker, p.at[aboutSpeaker], speaker = ph.speaker, at, ph.rank
		default:
			event, rank, never := ph.event, ph.rank, ph.never
			if at.to <= inner {
				event, rank, never = onNoEvent, min(rank, 1), false
			}
			p.ended = p.ended || event == onClosed && rank > rankShape
			if event == onUnsent && never && unsent().MatchString(ph.words) {
				p.Unsent, p.at[aboutUnsent] = true, at
			}
			if rank == p.rank && at.from < p.at[aboutEvent].from {
				p.rank-- // of two phrases of one rank the first in the text counts
			}
			if rank > p.rank {
				p.alone, p.never = ph.alone, never
			}
			if rank >= leastPlain {
				p.state(event)
			}
			p.event(event, rank, at)
		}
	}
	b.shaped(said, &p, mute.silence[mute.frames:])
	return p
}

// unsent matches phrases about the request itself, which prove that it was not sent whatever else the text says.
var unsent = lazily(`sent|process|execut|writ|left the|made it|went out|reached the|retryable`)

// containsAny reports whether a text has one of the parts, or needs none.
func containsAny(s string, parts []string) bool {
	return len(parts) == 0 || slices.ContainsFunc(parts, func(w string) bool { return strings.Contains(s, w) })
}

// shaped reads a text without a phrase by its shape.
func (b *book) shaped(said spelled, p *proofs, silence []span) {
	words := said.words
	if p.rank < rankShape && len(silence) > 0 {
		words = said.without(silence)
	}
	for _, s := range b.shapes {
		if p.rank >= s.Rank || p.rank > weak || !containsAny(words, s.Needs) {
			continue
		}
		if m := s.re.FindStringIndex(words); m != nil {
			p.never, p.shaped = s.Never, true
			p.event(s.Name, s.Rank, said.span(span{m[0], m[1]}))
			return
		}
	}
}

// ofThisSide is where the last of these words stands, or -1.
func (t text) ofThisSide() int {
	if !t.has(markInner) {
		return -1
	}
	return strings.LastIndex(t.low, ofThisSide)
}

// ofThisSide is how grpc-js says that no frame came: the cause on this side follows.
const ofThisSide = "triggered by internal client error: "

// answeredLine is what follows HTTP/2 in an access log's line: the request was answered, and the
// protocol's name is no sign of a failure.
var answeredLine = lazily(`^http/2(?:\.0)?\\?"[ ,|]+"?[1-5]\d\d\b`)

func inAccessLog(low string, at span) bool {
	return strings.HasPrefix(low[at.from:], "http/2") && answeredLine().MatchString(low[at.from:min(len(low), at.from+24)])
}

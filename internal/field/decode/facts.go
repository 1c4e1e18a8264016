package decode

import (
	"slices"
	"strings"
)

// Facts, the second stage: what a text states, whichever library wrote it. Each step takes what the ones before it found and adds
// to it.

// Event is what a text says that happened, before the error code is considered.
type Event string

// The events; data/grammar.toml has the phrases of most of them.
const (
	onGoaway         Event = "goaway"
	onRstStream      Event = "rst-stream"
	onNeverConnected Event = "never-connected"
	onTLSFailure     Event = "tls-failure"
	onLocalLimit     Event = "local-limit"
	onUnsent         Event = "not-sent"
	onViolation      Event = "protocol-violation"
	onCancelled      Event = "caller-cancelled"
	onClosed         Event = "connection-lost"
	onTimedOut       Event = "timeout"
	onAnswered       Event = "answered"
	onStatus         Event = "http-status"
	onTooLarge       Event = "message-too-large"
	onServerLine     Event = "server-log"
	onCalm           Event = "goaway-calm"
	onNoEvent        Event = "unclear"
	onNormal         Event = "nothing-failed" // a frame or a state that every connection has
)

// Facts are the HTTP/2 facts in a text, whichever program wrote it. null means that the text
// doesn't say.
type Facts struct {
	// Speaker is who wrote the text: client, server, proxy, or "".
	Speaker string `json:"speaker"`
	// Event is what happened, Direction whether the writer sent or received it, Scope what it ended:
	// a connection, a stream or none.
	Event     Event  `json:"event"`
	Direction string `json:"direction"`
	Scope     string `json:"scope"`
	// Unsent is set if the text says that the request was not processed.
	Unsent bool `json:"not_processed"`
	// Frame is "GOAWAY" or "RST_STREAM", or "" if the text names neither.
	Frame string `json:"frame"`
	// Code is the name of an error code of RFC 9113 §7, or "".
	Code string `json:"code"`
	// LastStreamID is the GOAWAY's last-stream-id, StreamID the failed request's stream.
	LastStreamID *uint32 `json:"last_stream_id"`
	StreamID     *uint32 `json:"stream_id"`
	// Debug is the GOAWAY's debug data; "" means that it was empty.
	Debug *string `json:"debug"`
	// GRPC is a gRPC status, Curl curl's exit code, Flags and Details are Envoy's.
	GRPC    string  `json:"grpc_status"`
	Curl    *int    `json:"curl"`
	Flags   string  `json:"envoy_flags"`
	Details string  `json:"envoy_details"`
	Origin  *string `json:"origin"`
	// Requests is how many requests the connection carried, by its last-stream-id; null if that is
	// unknown.
	Requests *uint32 `json:"requests_on_connection"`
}

const (
	received = "received"
	sent     = "sent"
)

// What statements are about, in the order in which they are printed.
const (
	aboutSpeaker = iota
	aboutEvent
	aboutDirection
	aboutCode
	aboutLast
	aboutStream
	aboutDebug
	aboutUnsent
	aboutMost
)

// evidence is a text with all that it states.
type evidence struct {
	text
	Facts
	at     [aboutMost]span // the words that state it
	rank   int             // of the event: a higher one states it more narrowly
	alone  bool            // only programs of this field write of the event so
	never  bool            // the words of the event prove that the request was not processed
	shaped bool            // only the order of the words states the event
	sign   bool            // something in the text is of HTTP/2 or gRPC
	ended  bool            // the text also says that the connection closed
	events []Event         // all that the text states, but for the weakest
	guards []*guard
	inUse  bool // a connection of TLS carried requests before it failed
	cut    bool // the handshake ended before the two sides could disagree
	either bool // a service and a library give this status
	// placeless is set for an error of any call whose text names no call, or both kinds.
	placeless bool
	// answer is the HTTP status that came back, or the gRPC status before a service's own words.
	answer string
}

// The ranks at which the steps find events; data/grammar.toml has those of phrases.
const (
	rankLine     = 97
	rankGoaway   = 95 // a frame that ends a connection
	rankAnswer   = 94 // a service's own answer
	rankErrno    = 88 // the least of the names that systems give to a failure: ECONNREFUSED, ENOTFOUND, -1003
	rankProtocol = 85 // texts of an end that expects another protocol
	rankFlag     = 83
	rankStream   = 78 // texts of a stream's reset
	rankCode     = 64 // an error code without a frame
	weak         = 60 // the highest that a code overrules
	rankTime     = 53 // a time-out
	rankShape    = 52
	leastPlain   = 50 // the least at which an event counts without a sign of HTTP/2
)

// factsOf reads a text by the grammar. The phrases are those whose words are in the text.
func (g *grammar) factsOf(t text, phrases []*phrase) evidence {
	e := g.claimed(t, phrases)
	for _, step := range []func(evidence) evidence{
		evidence.coded, evidence.framed, evidence.flagged, evidence.numbered, evidence.overStream, evidence.placed, evidence.inTLS,
		evidence.answered, evidence.withFrame, evidence.directed,
	} {
		e = step(e)
	}
	return e
}

// state is the evidence with one more event.
func (e evidence) state(event Event) evidence {
	if !e.states(event) {
		e.events = append(e.events, event)
	}
	return e
}

func (e evidence) states(event Event) bool { return slices.Contains(e.events, event) }

// prove is the evidence with an event that counts if it is proved more narrowly than the one before.
func (e evidence) prove(event Event, rank int, at span) evidence {
	if rank > e.rank {
		e.Event, e.rank, e.at[aboutEvent] = event, rank, at
	}
	return e
}

// claimed are the phrases of the grammar that count, or else the shapes.
func (g *grammar) claimed(t text, phrases []*phrase) evidence {
	e, speaker, inner := evidence{text: t}, 0, t.ofThisSide()
	mute := t.mute()
	for _, ph := range phrases {
		if ph.sign && e.sign || ph.speaker != "" && ph.rank <= speaker {
			continue
		}
		at, ok := mute.find(ph)
		if !ok || !ph.stands(t.words) {
			continue
		}
		switch {
		case ph.guard != nil:
			e.guards = append(e.guards, ph.guard)
		case ph.sign:
			e.sign = true
		case ph.speaker != "":
			e.Speaker, e.at[aboutSpeaker], speaker = ph.speaker, at, ph.rank
		case at.to <= inner:
			e = e.claim(&phrase{event: onNoEvent, rank: min(ph.rank, 1)}, at)
		default:
			e = e.claim(ph, at)
		}
	}
	return g.shaped(e, mute.silence[mute.frames:])
}

// claim is the evidence with an event that a phrase states.
func (e evidence) claim(ph *phrase, at span) evidence {
	e.ended = e.ended || ph.event == onClosed && ph.rank > rankShape
	if ph.event == onUnsent && ph.never && re("unsent").MatchString(ph.words) {
		e.Unsent, e.at[aboutUnsent] = true, at
	}
	if ph.rank == e.rank && at.from < e.at[aboutEvent].from {
		e.rank-- // of two phrases of one rank the first in the text counts
	}
	if ph.rank > e.rank {
		e.alone, e.never = ph.alone, ph.never
	}
	if ph.rank >= leastPlain {
		e = e.state(ph.event)
	}
	return e.prove(ph.event, ph.rank, at)
}

// shaped reads a text without a phrase by its shape.
func (g *grammar) shaped(e evidence, silence []span) evidence {
	words := e.words
	if e.rank < rankShape && len(silence) > 0 {
		words = e.without(silence)
	}
	for _, s := range g.Shape {
		if e.rank >= s.Rank || e.rank > weak {
			continue
		}
		if m := s.re().FindStringIndex(words); m != nil {
			e.never, e.shaped = s.Never, true
			return e.prove(s.Name, s.Rank, e.span(span{m[0], m[1]}))
		}
	}
	return e
}

// ofThisSide is where the last of the words stands by which grpc-js says that no frame came, or -1: the cause on this side follows.
func (t text) ofThisSide() int {
	return strings.LastIndex(t.low, "triggered by internal client error: ")
}

// mute are the parts of a text in which words don't count: those that state no event (the first are frames of stacks), and the
// requests that it quotes.
type mute struct {
	text
	silence, requests []span
	frames            int
}

// find is where a phrase first stands in a text outside of the parts in which it doesn't count.
func (m *mute) find(ph *phrase) (span, bool) {
	for from := 0; ; {
		at, ok := ph.next(m.words, from)
		if !ok {
			return span{}, false
		}
		if where := m.span(at); !m.silences(ph, where) {
			return where, true
		}
		from = at.to
	}
}

// silences reports whether a phrase doesn't count at a place.
func (m *mute) silences(ph *phrase, at span) bool {
	switch {
	case ph.guard != nil:
		return false
	case ph.sign:
		return inAccessLog(m.low, at) || inside(m.requests, at)
	case ph.speaker != "": // in the name of a source file of Ruby, or of the software on the other side, which a client prints
		return strings.HasPrefix(strings.TrimLeftFunc(m.low[at.to:], func(r rune) bool { return r < 128 && wordByte(byte(r)) }), ".rb:") ||
			re("madeBy").MatchString(m.low[max(0, at.from-longestField):at.from])
	}
	return inside(m.silence, at)
}

// longestField is how far from a name its field begins at most.
const longestField = 40

// inAccessLog reports whether the protocol's name stands in a line of an access log: it is no sign of a failure.
func inAccessLog(low string, at span) bool {
	return strings.HasPrefix(low[at.from:], "http/2") && re("answeredLine").MatchString(low[at.from:min(len(low), at.from+24)])
}

// mute finds the parts in which words don't count: first the frames of stack traces, then what data/names.toml lists, quoted requests, the
// rest of addresses and file names, and keys whose value says that nothing was counted.
func (t text) mute() *mute {
	m := &mute{text: t}
	if strings.Contains(t.low, " http/") {
		m.requests = slices.DeleteFunc(t.matches(re("request")), func(at span) bool {
			return strings.HasPrefix(t.as[at.from:], `"PRI `) // the preface of HTTP/2, taken for a request
		})
	}
	m.silence, m.frames = t.stack()
	for _, s := range theNames().Silent {
		if s.Unless == "" || !re(s.Unless).MatchString(t.low) {
			m.silence = append(m.silence, t.matches(re(s.Match))...)
		}
	}
	m.silence = append(m.silence, m.requests...)
	for at := range len(t.as) {
		switch c := t.as[at]; {
		case c == '/' && at > 1 && t.as[at-1] == '/' && t.as[at-2] == ':':
			m.silence = append(m.silence, span{at, t.end(at, outside)})
		case c == '/' && (at == 0 || strings.IndexByte(" \"'(=", t.as[at-1]) >= 0):
			if to := t.end(at, outside+":"); re("pathName").MatchString(t.as[at:to]) {
				m.silence = append(m.silence, span{at, to})
			}
		case c == ':' || c == '=':
			if part, ok := t.emptyField(at); ok {
				m.silence = append(m.silence, part)
			}
		}
	}
	return m
}

// outside are the bytes that end an address.
const outside = " \"'<>,;)]}?"

// matches are the parts that an expression matches.
func (t text) matches(e *expression) (out []span) {
	for _, m := range e.all(t.as) {
		out = append(out, span{m[0], m[1]})
	}
	return out
}

// end is where the first of these bytes stands after an index, or the end of the text.
func (t text) end(at int, of string) int {
	if n := strings.IndexAny(t.as[at:], of); n >= 0 {
		return at + n
	}
	return len(t.as)
}

// nothing are the values that say that nothing happened.
var nothing = []string{"0", "null", "nil", "false", `""`, `"-"`}

// switchedOn are the values of a setting that is on.
var switchedOn = []string{"true", "on"}

// emptyField is the field around a colon or an equals sign if its value is empty, or it is a setting that is on: of JSON, of logfmt
// and of lines of statistics. A name without quotes must have two parts.
func (t text) emptyField(at int) (part span, ok bool) {
	value := strings.TrimPrefix(t.as[at+1:], " ")
	if value == "" || strings.IndexByte(`0nfto"`, value[0]) < 0 {
		return span{}, false
	}
	is := func(n string) bool {
		rest, ok := strings.CutPrefix(value, n)
		return ok && (rest == "" || strings.IndexByte(" ,}]", rest[0]) >= 0)
	}
	i, j := slices.IndexFunc(nothing, is), slices.IndexFunc(switchedOn, is)
	if i < 0 && j < 0 {
		return span{}, false
	}
	name := strings.TrimSuffix(t.as[:at], " ")
	bare := strings.TrimSuffix(name, `"`)
	from := len(bare)
	for from > 0 && (wordByte(bare[from-1]) || bare[from-1] == '.' || bare[from-1] == '-') {
		from--
	}
	if from == len(bare) || bare == name && (!strings.ContainsAny(bare[from:], "._") || thrown(bare)) {
		return span{}, false
	}
	if i < 0 {
		return span{from, len(t.as) - len(value) + len(switchedOn[j])}, re("settingName").MatchString(bare)
	}
	return span{from, len(t.as) - len(value) + len(nothing[i])}, true
}

// thrown reports whether a name is an exception's class, which Java prints with its message: null.
func thrown(name string) bool {
	return strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error")
}

func inside(parts []span, at span) bool {
	return slices.ContainsFunc(parts, func(part span) bool { return at.from >= part.from && at.to <= part.to })
}

// stack are the frames of stack traces; the first ones are in the form of Java and Node.
func (t text) stack() (out []span, first int) {
	out = t.matches(re("stackFrames"))
	return append(out, t.matches(re("otherFrames"))...), len(out)
}

// coded reads the error code, the last stream id and the request's own.
func (e evidence) coded() evidence {
	e.Code, e.at[aboutCode] = e.code()
	if e.at[aboutCode].to <= e.ofThisSide() {
		e.Code, e.at[aboutCode] = "", span{}
	}
	e.LastStreamID, e.at[aboutLast] = e.last()
	e.StreamID, e.at[aboutStream] = e.own()
	return e
}

// framed reads a GOAWAY by its name or its last stream id.
func (e evidence) framed() evidence {
	at, ok := e.goaway()
	if ok && e.Event == onServerLine {
		if _, where := e.debug(); inside([]span{where}, e.at[aboutEvent]) { // the debug data say why it ended
			e.rank = weak
		}
	}
	if (ok || e.LastStreamID != nil) && e.rank < rankLine {
		if !ok {
			at = e.at[aboutLast]
		}
		e.ended = e.ended || e.Event == onClosed
		if e.Event != onCalm || e.Code != "" && e.Code != "NO_ERROR" {
			e.rank = min(e.rank, rankGoaway-1)
		}
		e = e.prove(onGoaway, rankGoaway, at)
	}
	if e.Code == "INTERNAL_ERROR" {
		e.Debug, e.at[aboutDebug] = e.debug()
	}
	return e
}

// flagged reads what Envoy and HAProxy write into their access logs as letters.
func (e evidence) flagged() evidence {
	if m := e.flags(); m != nil {
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			e.Flags = e.as[m[g]:m[g+1]]
			for _, flag := range strings.Split(e.Flags, ",") {
				if event, ok := theNames().events[flag]; ok && e.rank < rankFlag {
					e.sign = true
					e = e.prove(event, rankFlag, span{m[g], m[g+1]})
				}
			}
		}
		return e
	}
	named := containsAny(e.low, []string{"haproxy", "termination_state"})
	if strings.Count(e.low, "/") < 7 && !named {
		return e
	}
	m := re("haproxyState").FindStringSubmatchIndex(e.as)
	if m == nil && named {
		if m = re("haproxyField").FindStringSubmatchIndex(e.as); m != nil && m[2] < 0 {
			m = append(m[:2], m[6:]...)
		}
	}
	if m == nil {
		return e
	}
	if event := haproxyEvent(e.as[m[2]], e.as[m[4]]); event != "" && e.rank < rankFlag {
		e.sign = true
		e = e.prove(event, rankFlag, span{m[2], m[4] + 1})
		if strings.IndexByte("RQC", e.as[m[4]]) >= 0 { // before the request was sent to a server
			e.Unsent, e.at[aboutUnsent] = true, span{m[4], m[4] + 1}
		}
	}
	return e
}

// flagsEnd is where flags at the beginning of a text end at the latest.
const flagsEnd = 32

// flags finds Envoy's flags. Only texts with one of these words can have some.
func (t text) flags() []int {
	for _, in := range []struct {
		needs []string
		match string
		end   int
	}{
		{[]string{"http/", "_flags", "upstream_"}, "envoyFlag", len(t.as)}, {nil, "bareFlag", flagsEnd},
		{[]string{"flag", "rf="}, "namedFlag", len(t.as)},
		{[]string{`"- - -"`, "envoy", "bound|", "upstream_"}, "columnFlag", len(t.as)},
	} {
		if containsAny(t.low, in.needs) {
			if m := re(in.match).FindStringSubmatchIndex(t.as[:min(len(t.as), in.end)]); m != nil {
				return m
			}
		}
	}
	return nil
}

// haproxyEvents are the events of its first two letters: who ended the session, and in which phase.
func haproxyEvent(who, phase byte) Event {
	switch {
	case who == '-':
		return ""
	case phase == 'C' && strings.IndexByte("SsRU", who) >= 0:
		return onNeverConnected
	case phase == 'Q' || who == 'R':
		return onLocalLimit
	}
	switch who {
	case 'C':
		return onCancelled
	case 'S', 'D', 'U', 'K':
		return onClosed
	case 'c', 's':
		return onTimedOut
	case 'I': // its own self-check failed
		return onServerLine
	case 'P':
		if phase == 'H' { // HAProxy rejected the server's answer as invalid
			return onViolation
		}
	}
	return onAnswered // P and L: HAProxy answered by itself
}

// numbered reads the ends of streams that have a number or a code.
func (e evidence) numbered() evidence {
	if e.rank > rankStream || !strings.Contains(e.low, "stream") {
		return e
	}
	if e.LastStreamID == nil && re("closedWell").MatchString(e.low) {
		if e = e.prove(onNormal, rankStream+1, span{}); e.Speaker == "server" {
			e.Event = onServerLine
		}
		return e
	}
	m := re("closedStream").FindStringSubmatchIndex(e.low)
	if m == nil {
		m = re("closedWith").FindStringSubmatchIndex(e.low)
	}
	if m == nil || e.rank == rankStream {
		return e
	}
	e = e.prove(onRstStream, rankStream, span{m[0], m[1]})
	if e.Code == "" && strings.HasSuffix(e.low[:m[1]], "refused") {
		e.Code, e.at[aboutCode] = "REFUSED_STREAM", span{m[0], m[1]}
	}
	if e.Code == "" && m[2] >= 0 {
		e.Code, e.at[aboutCode] = codeOf(e.low[m[2]:m[3]]), span{m[2], m[3]}
	}
	return e
}

// overStream takes a failed connect for a stream's reset where a code or a stream shows that there was a connection.
func (e evidence) overStream() evidence {
	e.sign = e.sign || e.StreamID != nil
	if e.Event == onNeverConnected && (e.states(onRstStream) && e.Code != "" ||
		e.rank < rankErrno && e.StreamID != nil && (e.states(onRstStream) || e.Code != "")) {
		e.Event, e.never = onRstStream, false
	}
	return e
}

// placed reads an error that systems give to any call by the call that the text names. A connect that failed sent nothing, a read
// or a write that failed is of a connection that there was; without the call the error proves neither.
func (e evidence) placed() evidence {
	if at := e.at[aboutEvent]; e.Event != onNeverConnected || !re("anyCall").MatchString(e.low[at.from:at.to]) {
		return e
	}
	connect, open := re("ofConnect").MatchString(e.low), re("onOpen").MatchString(e.low)
	if open && !connect {
		e.Event, e.rank, e.never = onClosed, weak, false
	}
	e.placeless = open == connect
	return e
}

// notInUse are parts of texts of a TLS connection that there was not yet, whatever they say of reading.
var notInUse = []string{"handshake", "(35)", "error 35", "certificate", "verif", "record", "could not be established", "frame size"}

// inTLS tells a failed handshake from a connection that failed in use.
func (e evidence) inTLS() evidence {
	if e.Event == onTLSFailure {
		// A handshake that timed out has no cause that follows: a failed read beside it is another connection's.
		connects := re("ofConnect").MatchString(e.low) || strings.Contains(e.low, "not be established")
		e.inUse = re("badRecord").MatchString(e.low) && !connects ||
			strings.Contains(e.low, "handshake timeout") && re("inUse").MatchString(e.low)
		if re("whileReading").MatchString(e.low) && !containsAny(e.low, notInUse) && !re("connector").MatchString(e.low) {
			e.Event, e.rank, e.never = onClosed, weak, false
		}
	}
	e.cut = e.Event == onTLSFailure && re("cutShort").MatchString(e.low) && !re("disagreed").MatchString(e.low)
	ended := e.states(onClosed) || e.Speaker == "server" && e.states(onTimedOut)
	if e.Event == onViolation && e.never && ended { // the connection ended before the preface
		if e.Event = onNeverConnected; e.Speaker == "server" {
			e.Event = onServerLine
		}
	}
	return e
}

// withFrame names the frame, its code and what it ends.
func (e evidence) withFrame() evidence {
	switch {
	case e.Event == onGoaway, e.Event == onClosed && e.rank > rankLine: // a GOAWAY that could not be sent
		e.Frame = "GOAWAY"
	case e.Event == onRstStream:
		e.Frame = "RST_STREAM"
	}
	if e.Frame != "" && e.Code == "" {
		grpc := strings.Contains(e.low, "grpc") || re("ofGRPC").MatchString(e.low)
		e.Code, e.at[aboutCode] = e.codeOfFrame(grpc)
	}
	if e.Event == onViolation && e.Code == "" { // a code that stands before its reason
		if m := re("codeReason").FindStringSubmatchIndex(e.low); m != nil {
			e.Code, e.at[aboutCode] = codeOf(e.low[m[2]:m[3]]), span{m[2], m[3]}
		}
	}
	e.Scope = theNames().Event[e.Event].Scope
	e.Facts = e.counted()
	return e
}

const aroundFrame = 56

// directed finds the words nearest to the frame that say whether the writer sent or received it.
// Of words that overlap the longer ones count.
func (e evidence) directed() evidence {
	switch e.Event {
	case onGoaway, onCalm, onRstStream, onViolation, onClosed, onCancelled:
	default:
		return e
	}
	frame := e.at[aboutEvent]
	begin := max(0, frame.from-aroundFrame)
	window := e.low[begin:min(len(e.low), frame.to+aroundFrame)]
	nearest, longest := len(window), 0
	for _, who := range []string{"theirs", "client", "got", "ours"} {
		for _, words := range theNames().Ways[who] {
			for at := range wholeWords(window, words) {
				if who == "ours" && re("failedDeed").MatchString(window[at.to:]) {
					continue
				}
				distance := max(0, begin+at.from-frame.to, frame.from-begin-at.to)
				if distance < nearest || distance == nearest && len(words) > longest {
					nearest, longest = distance, len(words)
					e.Direction, e.at[aboutDirection] = e.towards(who), span{begin + at.from, begin + at.to}
				}
			}
		}
	}
	return e
}

// wholeWords are the places of words in a text that are no part of a longer name: /usr/local/bin.
func wholeWords(text, words string) func(yield func(span) bool) {
	partOfName := func(c byte) bool { return wordByte(c) || c == '/' }
	return func(yield func(span) bool) {
		for from := 0; ; {
			i := strings.Index(text[from:], words)
			if i < 0 {
				return
			}
			at := span{from + i, from + i + len(words)}
			if !(at.from > 0 && partOfName(text[at.from-1]) || at.to < len(text) && partOfName(text[at.to])) && !yield(at) {
				return
			}
			from = at.to
		}
	}
}

// towards is the direction as the one who wrote the text saw it.
func (e evidence) towards(who string) string {
	if who == "got" || who == "theirs" && e.Speaker != "server" || who == "client" && e.Speaker != "" {
		return received
	}
	return sent
}

// named reports whether the text has the event under the name of a standard, a system or a proxy's manual.
func (e evidence) named() bool {
	return e.Code != "" || e.Flags != "" || e.LastStreamID != nil || e.never && e.rank >= rankErrno
}

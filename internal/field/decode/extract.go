package decode

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	format "h2lab/internal/base/text"
)

// text is a normalised text and its lower-case form of equal length. The expressions are anchored
// and run only from a known word on, because a log may have a million texts to search.
type text struct {
	as, low string
	marks   uint64
}

func newText(normal []byte) text {
	var both strings.Builder // one allocation: a log may have a million texts
	both.Grow(2 * len(normal))
	both.Write(normal)
	for _, c := range normal {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		both.WriteByte(c)
	}
	s := both.String()
	as, low := s[:len(normal)], s[len(normal):]
	return text{as, low, marksIn(low)}
}

// mostPlaces is the maximum number of occurrences of a word that are examined.
const mostPlaces = 16

// places calls look with the index of each occurrence of the words until look returns true.
func (t text) places(look func(at int) (enough bool), words ...string) {
	for _, w := range words {
		for from, n := 0, 0; n < mostPlaces; n++ {
			i := strings.Index(t.low[from:], w)
			if i < 0 {
				break
			}
			if look(from + i) {
				return
			}
			from += i + len(w)
		}
	}
}

// window is the text from an index on, of at most size bytes.
func (t text) window(at, size int) string {
	at = max(0, at)
	return t.as[at:min(len(t.as), at+size)]
}

var (
	lastID = lazily(`^(?i)last[ _-]*(?:good[ _-]*|accepted[ _-]*|processed[ _-]*)?(?:stream|sid)[ ` +
		`_-]*(?:id|identifier)?["'\])]* ?(?:[:=]+|is|was|=>)? ` +
		`?["'(\[]*(?:HTTP2StreamID\(|StreamId\()?(0x[0-9a-f]{1,8}|\d{1,3}(?:,\d{3})+|\d{1,10})\b`)
	// Short forms count beside the frame's name only.
	shortID = lazily(`^(?i)go_?away[^\n]{0,24}\blast[=:] ?(\d{1,10})\b`)
	// Netty prints the debug data as bytes.
	hexDebug = lazily(`^length=\d{1,6} bytes=([0-9a-f]{2,400})\b`)
	ownID    = lazily(`^(?i)stream(?:[ _-]?id)?["']? ?[:=#]? ?(?:HTTP2StreamID\(|` +
		`StreamId\()?(0x[0-9a-f]{1,8}|\d{1,10})\b`)
	debug = lazily(`^(?i)(?:debug(?:[ _-]?data)?(?: text)?|additional_data|opaque_data\(\d*\)) ` +
		`?(?:[:=]+|equal to(?: ascii)?) ` +
		`?(?:b?"([^"]{0,200})"|b?'([^']{0,200})'|\[([^\]]{0,200})\]|(?:None|null|nil)\b|([^\s,;)>}\]"']{1,200}))`)
	// The JDK, hyper and amphp write the debug data elsewhere.
	debugElse = lazily(`^(?i)(?:goaway\(b"([^"]{0,200})"|with error code \d+ and message ` +
		`'([^']{0,200})'|debugdata '([^']{0,200})')`)
	grpcCode = lazily(`\b(?:StatusCode[.=]"?|code = |code: |\d{1,2} ` +
		`)?((?i:UNAVAILABLE|INTERNAL|RESOURCE_EXHAUSTED|ResourceExhausted|CANCELLED|DEADLINE_EXCEEDED|ABORTED))\b[:" ]`)
	curlCode = lazily(`(?i)\bcurl(?:e|error| error)?:? ?\(?(\d{1,2})[):]|^\[(\d{1,2})\] |: ` +
		`\[(\d{1,2})\] F|\bpycurl\.error: \((\d{1,2})`)
	envoyFlag = lazily(`(?:response_flags|resp_flags)["']?[:=] ` +
		`?"?([A-Z]{2,5}(?:,[A-Z]{2,5})*)|HTTP/[\d.]+" \d{3} ([A-Z]{2,5}(?:,[A-Z]{2,5})*) |\[(U[A-Z]{1,3}) upstream_`)
	envoyMore = lazily(`((?:upstream_reset_(?:before|after)_response_started)\{[a-z_:A-Z| ` +
		`]{0,120}\}|codec_error:[A-Za-z_]{1,120}|\bhttp2\.[a-z_]+(?:\.[a-z_]+)*)`)
	origin = lazily(`^(?:https?://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::\d{1,5})?(?:[/"' ` +
		`?)\],>;]|:|$)|https?://\[[0-9a-fA-F:]{2,45}\](?::\d{1,5})?)`)
	vhost = lazily(`\b(?:host|authority): ?"([A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::\d{1,5})?)"`)
	// The words beside the frame's name; a product named GoAway has others.
	isGoaway = lazily(`(?i)(?:^|[^a-z0-9-])(?:(?:received|sent|sends?|sending|got|abrupt|after|prior|` +
		`remote|peer|server|client|graceful|from|` +
		`shutdown) (?:an? |the )?"?go_?away(?:$|[^a-z0-9_-])|"?go_?away"? ` +
		`(?:frame|received|closed|error)(?:$|[^a-z0-9_-])|go_?away ?\[|go_?away ?[({] ` +
		`?\w|"?go_?away(?:frame|error|exception|received)|:goaway\b|connectionterminated|` +
		`(?:<<|>>) 0x[0-9a-f]{8} \d+ goaway\b)|http2_(?:sent_)?goaway|` +
		`[a-z]GoAway(?:Error|Frame|Exception|Received)`)
	// The name in capitals is enough if another HTTP/2 word is present.
	capitals = lazily(`(?:^|[^A-Za-z0-9-])GO_?AWAY(?:$|[^A-Za-z0-9_-])`)
	beside   = lazily(`(?i)\b(?:http/?2|h2|streams?|stream_id|payload|connections?|session|frame|grpc)\b`)
)

// details adds facts that are only shown.
func (t text) details(f *Finding) {
	f.Debug, f.at[aboutDebug] = orElse(f.Debug, f.at[aboutDebug], t.debug)
	f.circumstances(t)
	f.general = t.mayBeProse()
	if m := grpcCode().FindStringSubmatch(t.as); m != nil && (f.Frame != "" || strings.Contains(t.low, "grpc")) {
		f.GRPC = strings.ToUpper(m[1])
	}
	if n, err := strconv.Atoi(first(curlCode().FindStringSubmatch(t.as))); err == nil {
		f.Curl = &n
	}
	f.Details = first(envoyMore().FindStringSubmatch(t.as))
	f.Origin = t.origin()
}

// goaway reports whether a text is about the frame and not about a product of that name.
func (t text) goaway() (where span, found bool) {
	stack, searched := []span(nil), false
	t.places(func(at int) bool {
		if !searched {
			stack, _ = t.stack()
			searched = true
		}
		if inside(stack, span{at, at + 1}) {
			return false
		}
		if where, found = t.commonGoaway(at); found {
			return true
		}
		w := t.window(at-24, 64)
		m := isGoaway().FindStringIndex(w)
		if m == nil && beside().MatchString(t.as) {
			m = capitals().FindStringIndex(w)
		}
		if found = m != nil; found {
			where = trimmed(t.as, span{max(0, at-24) + m[0], max(0, at-24) + m[1]})
		}
		return found
	}, "goaway", "go_away", "go away", "going away", "connectionterminated")
	return where, found
}

// commonGoaway are the forms that most texts have; isGoaway knows the others.
func (t text) commonGoaway(at int) (span, bool) {
	for _, before := range []string{"sent ", "received ", "got ", "send ", "graceful shutdown "} {
		if strings.HasSuffix(t.low[:at], before) && strings.HasPrefix(t.low[at:], "goaway ") {
			return span{at - len(before), at + len("goaway")}, true
		}
	}
	return span{}, false
}

// trimmed is a span without blanks and marks at its ends.
func trimmed(s string, at span) span {
	const marks = " \t:;,.()[]{}\"'=<>$"
	for at.from < at.to && strings.IndexByte(marks, s[at.from]) >= 0 {
		at.from++
	}
	for at.to > at.from && strings.IndexByte(marks, s[at.to-1]) >= 0 {
		at.to--
	}
	return at
}

// first is the first non-empty group of a match.
func first(match []string) string {
	for i, g := range match {
		if i > 0 && g != "" {
			return g
		}
	}
	return ""
}

func parseID(s string) *uint32 {
	base := 10
	s = strings.ReplaceAll(s, ",", "") // Java's MessageFormat: 2,147,483,647
	if len(s) > 2 && (s[1] == 'x' || s[1] == 'X') {
		s, base = s[2:], 16
	}
	v, err := strconv.ParseUint(s, base, 32)
	if err != nil {
		return nil
	}
	id := uint32(v)
	return &id
}

// commonLast is the form that most texts have; lastID knows the others.
func (t text) commonLast(at int) (*uint32, span) {
	for _, name := range []string{"laststreamid=", "last_stream_id=", "last_stream_id:"} {
		if !strings.HasPrefix(t.low[at:], name) {
			continue
		}
		from := at + len(name)
		to := from
		for to < len(t.low) && digit(t.low[to]) {
			to++
		}
		if to > from && to < len(t.low) && strings.IndexByte(", ;)]}>", t.low[to]) >= 0 {
			return parseID(t.low[from:to]), span{at, to}
		}
	}
	return nil, span{}
}

func (t text) last() (id *uint32, where span) {
	t.places(func(at int) bool {
		if id, where = t.commonLast(at); id != nil {
			return true
		}
		w := t.window(at, 80)
		if m := lastID().FindStringSubmatchIndex(w); m != nil {
			id, where = parseID(w[m[2]:m[3]]), span{at, at + m[1]}
		}
		return id != nil
	}, "last")
	if id == nil {
		t.places(func(at int) bool {
			w := t.window(at, 60)
			if m := shortID().FindStringSubmatchIndex(w); m != nil {
				id, where = parseID(w[m[2]:m[3]]), span{at, at + m[1]}
			}
			return id != nil
		}, "goaway", "go_away")
	}
	return id, where
}

// own is the id of the request's stream: an id that is not labelled as the last one. Stream 0 is
// never a request; curl printed 0 for every stream for years.
func (t text) own() (id *uint32, where span) {
	t.places(func(at int) bool {
		lead := t.low[max(0, at-10):at]
		if at > 0 && wordByte(t.low[at-1]) || strings.Contains(lead, "last") || strings.Contains(lead, "active") {
			return false
		}
		w := t.window(at, 60)
		if m := ownID().FindStringSubmatchIndex(w); m != nil {
			where = span{at, at + m[1]}
			if id = parseID(w[m[2]:m[3]]); id != nil && *id == 0 {
				id = nil
			}
		}
		return id != nil
	}, "stream")
	return id, where
}

func (t text) debug() (said *string, where span) {
	take := func(e *regexp.Regexp) func(int) bool {
		return func(at int) bool {
			if m := e.FindStringSubmatch(t.window(at, 260)); m != nil {
				s := format.ClipLine(first(m), 120)
				said, where = &s, span{at, at + len(m[0])}
			}
			return said != nil
		}
	}
	t.places(take(debug()), "debug", "additional_data", "opaque_data")
	if said == nil {
		t.places(take(debugElse()), `goaway(b"`, "with error code", "debugdata '", "{goaway,", "msg[")
	}
	if said == nil {
		t.places(func(at int) bool {
			if m := hexDebug().FindStringSubmatch(t.window(at, 420)); m != nil {
				if b, err := hex.DecodeString(m[1]); err == nil {
					s := format.ClipLine(string(b), 120)
					said, where = &s, span{at, at + len(m[0])}
				}
			}
			return said != nil
		}, "length=")
	}
	return said, where
}

// manuals match documentation hosts that error texts cite.
var manuals = lazily(`^https?://(?:curl\.se|curl\.haxx\.se|nodejs\.org|aka\.ms|go\.dev|github\.com|` +
	`(?:docs?|help|trac|bugs|issues)\.[a-z])`)

// origin is the scheme, host and port that the text names, safe to paste into a command.
func (t text) origin() (found *string) {
	t.places(func(at int) bool {
		said := origin().FindString(t.window(at, 320))
		if said == "" || manuals().MatchString(said) {
			return false
		}
		if said = strings.TrimRight(said, `/"' ?),>;:.`); !strings.Contains(said, "[") {
			said = strings.TrimRight(said, "]")
		}
		found = &said
		return true
	}, "https://", "http://")
	if found == nil {
		if m := vhost().FindStringSubmatch(t.as); m != nil {
			said := "https://" + strings.TrimRight(m[1], ".")
			found = &said
		}
	}
	return found
}

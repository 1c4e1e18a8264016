package decode

import (
	"regexp"
	"strconv"
	"strings"

	"h2lab/internal/base/textwrap"
)

// text is a normalised text and its lower-case form of equal length. The expressions are anchored
// and run only from a known word on, because a log may have a million texts to search.
type text struct{ as, low string }

func newText(normal []byte) text {
	low := make([]byte, len(normal))
	for i, c := range normal {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	return text{string(normal), string(low)}
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
	lastID = regexp.MustCompile(`^(?i)last[ _-]*(?:good[ _-]*|accepted[ _-]*|processed[ _-]*)?(?:stream|sid)[ ` +
		`_-]*(?:id|identifier)?["'\])]* ?(?:[:=]+|is|was|=>)? ` +
		`?["'(]*(?:HTTP2StreamID\(|StreamId\()?(0x[0-9a-f]{1,8}|\d{1,10})\b`)
	ownID = regexp.MustCompile(`^(?i)stream(?:[ _-]?id)?["']? ?[:=#]? ?(?:HTTP2StreamID\(|StreamId\()?(\d{1,10})\b`)
	debug = regexp.MustCompile(`^(?i)(?:debug(?:[ _-]?data)?(?: text)?|additional_data|opaque_data\(\d*\)) ` +
		`?(?:[:=]+|equal to(?: ascii)?) ` +
		`?(?:b?"([^"]{0,200})"|b?'([^']{0,200})'|\[([^\]]{0,200})\]|(?:None|null|nil)\b|([^\s,;)>}"']{1,200}))`)
	// The JDK, hyper and amphp write the debug data elsewhere.
	debugElse = regexp.MustCompile(`^(?i)(?:goaway\(b"([^"]{0,200})"|with error code \d+ and message ` +
		`'([^']{0,200})'|debugdata '([^']{0,200})')`)
	grpcCode = regexp.MustCompile(`\b(?:StatusCode[.=]"?|code = |code: |\d{1,2} ` +
		`)?((?i:UNAVAILABLE|INTERNAL|RESOURCE_EXHAUSTED|ResourceExhausted|CANCELLED|DEADLINE_EXCEEDED|ABORTED))\b[:" ]`)
	curlCode = regexp.MustCompile(`(?i)\bcurl(?:e|error| error)?:? ?\(?(\d{1,2})[):]|^\[(\d{1,2})\] |: ` +
		`\[(\d{1,2})\] F|\bpycurl\.error: \((\d{1,2})`)
	envoyFlag = regexp.MustCompile(`(?:response_flags|resp_flags)["']?[:=] ` +
		`?"?([A-Z]{2,5}(?:,[A-Z]{2,5})*)|HTTP/[\d.]+" \d{3} ([A-Z]{2,5}(?:,[A-Z]{2,5})*) |\[(U[A-Z]{1,3}) upstream_`)
	envoyMore = regexp.MustCompile(`((?:upstream_reset_(?:before|after)_response_started)\{[a-z_:A-Z| ` +
		`]{0,120}\}|codec_error:[A-Za-z_]{1,120}|\bhttp2\.[a-z_]+(?:\.[a-z_]+)*)`)
	origin = regexp.MustCompile(`^(?:https?://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::\d{1,5})?(?:[/"' ` +
		`?)\],>;]|:|$)|https?://\[[0-9a-fA-F:]{2,45}\](?::\d{1,5})?)`)
	vhost = regexp.MustCompile(`\b(?:host|authority): ?"([A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::\d{1,5})?)"`)
	// The words beside the frame's name; a product named GoAway has others.
	isGoaway = regexp.MustCompile(`(?i)(?:^|[^a-z0-9-])(?:(?:received|sent|sends?|sending|got|abrupt|after|prior|` +
		`shutdown) (?:an? |the )?"?go_?away(?:$|[^a-z0-9_-])|"?go_?away"? ` +
		`(?:frame|received|closed|error)(?:$|[^a-z0-9_-])|go_?away ?\[|go_?away ?[({] ` +
		`?\w|"?go_?away(?:frame|error|exception|received)|:goaway\b|connectionterminated)|http2_(?:sent_)?goaway|` +
		`[a-z]GoAway(?:Error|Frame|Exception|Received)`)
	// The name in capitals is enough if another HTTP/2 word is present.
	capitals = regexp.MustCompile(`(?:^|[^A-Za-z0-9-])GO_?AWAY(?:$|[^A-Za-z0-9_-])`)
	beside   = regexp.MustCompile(`(?i)\b(?:http/?2|h2|streams?|connections?|session|frame|grpc)\b`)
)

// resets are the texts of a stream that was reset.
var resets = []string{
	"rst_stream",
	"stream reset",
	"stream was reset",
	"streamreset",
	"reset the stream",
	"refused_stream",
	"refused stream",
	"stream error: stream id",
	"stream closed with error code",
	"streamclosed(",
}

// facts extracts what decides a finding's kind; details adds the rest.
func (t text) facts() Facts {
	f := Facts{Code: t.code(), LastStreamID: t.last(), StreamID: t.own()}
	t.places(func(at int) bool {
		if m := goawayPayload.FindStringSubmatch(t.window(at-30, 400)); m != nil {
			f.LastStreamID, f.Code, f.Debug = parseID(m[1]), codeOf(m[2]), &m[3]
		}
		if m := goawayTuple.FindStringSubmatch(t.window(at-2, 400)); m != nil {
			f.LastStreamID, f.Code, f.Debug = parseID(m[1]), strings.ToUpper(m[2]), &m[3]
		}
		return f.Debug != nil
	}, "goawayframe stream", ":goaway,")
	if f.Code == "INTERNAL_ERROR" && f.Debug == nil {
		f.Debug = t.debug()
	}
	switch {
	case f.LastStreamID != nil || t.goaway():
		f.Frame = "GOAWAY"
	default:
		for _, words := range resets {
			if strings.Contains(t.low, words) {
				f.Frame = "RST_STREAM"
				break
			}
		}
	}
	f.count()
	return f
}

// details adds facts that are only shown.
func (t text) details(f *Facts) {
	if f.Debug == nil {
		f.Debug = t.debug()
	}
	if m := grpcCode.FindStringSubmatch(t.as); m != nil && (f.Frame != "" || strings.Contains(t.low, "grpc")) {
		f.GRPC = strings.ToUpper(m[1])
	}
	if n, err := strconv.Atoi(first(curlCode.FindStringSubmatch(t.as))); err == nil {
		f.Curl = &n
	}
	f.Flags = first(envoyFlag.FindStringSubmatch(t.as))
	f.Details = first(envoyMore.FindStringSubmatch(t.as))
	f.Origin = t.origin()
}

// goaway reports whether a text is about the frame and not about a product of that name.
func (t text) goaway() (found bool) {
	t.places(func(at int) bool {
		w := t.window(at-24, 64)
		found = isGoaway.MatchString(w) || capitals.MatchString(w) && beside.MatchString(t.as)
		return found
	}, "goaway", "go_away", "connectionterminated")
	return found
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

func (t text) last() (id *uint32) {
	t.places(func(at int) bool {
		if m := lastID.FindStringSubmatch(t.window(at, 80)); m != nil {
			id = parseID(m[1])
		}
		return id != nil
	}, "last")
	return id
}

// own is the id of the request's stream: an id that is not labelled as the last one. Stream 0 is
// never a request; curl printed 0 for every stream for years.
func (t text) own() (id *uint32) {
	t.places(func(at int) bool {
		lead := t.low[max(0, at-10):at]
		if at > 0 && wordByte(t.low[at-1]) || strings.Contains(lead, "last") || strings.Contains(lead, "active") {
			return false
		}
		if m := ownID.FindStringSubmatch(t.window(at, 60)); m != nil {
			if id = parseID(m[1]); id != nil && *id == 0 {
				id = nil
			}
		}
		return id != nil
	}, "stream")
	return id
}

func (t text) debug() (said *string) {
	take := func(e *regexp.Regexp) func(int) bool {
		return func(at int) bool {
			if m := e.FindStringSubmatch(t.window(at, 260)); m != nil {
				s := textwrap.Clip(first(m), 120)
				said = &s
			}
			return said != nil
		}
	}
	t.places(take(debug), "debug", "additional_data", "opaque_data")
	if said == nil {
		t.places(take(debugElse), `goaway(b"`, "with error code", "debugdata '")
	}
	return said
}

// manuals match documentation hosts that error texts cite.
var manuals = regexp.MustCompile(`^https?://(?:curl\.se|curl\.haxx\.se|nodejs\.org|aka\.ms|go\.dev|github\.com|` +
	`(?:docs?|help|trac|bugs|issues)\.[a-z])`)

// origin is the scheme, host and port that the text names, safe to paste into a command.
func (t text) origin() (found *string) {
	t.places(func(at int) bool {
		said := origin.FindString(t.window(at, 320))
		if said == "" || manuals.MatchString(said) {
			return false
		}
		if said = strings.TrimRight(said, `/"' ?),>;:.`); !strings.Contains(said, "[") {
			said = strings.TrimRight(said, "]")
		}
		found = &said
		return true
	}, "https://", "http://")
	if found == nil {
		if m := vhost.FindStringSubmatch(t.as); m != nil {
			said := "https://" + strings.TrimRight(m[1], ".")
			found = &said
		}
	}
	return found
}

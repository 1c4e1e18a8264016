package decode

import (
	"cmp"
	"encoding/hex"
	format "h2lab/internal/base/text"
	"h2lab/internal/facts"
	"slices"
	"strconv"
	"strings"
)

// The names and numbers that a text has: an error code, stream ids, debug data, an address.

// code is the HTTP/2 error code that a text names, or "", and where.
func (t text) code() (code string, where span) {
	if strings.Contains(t.low, "cancel") {
		if m := re("codeCancel").FindStringIndex(t.as); m != nil {
			return "CANCEL", span{m[0], m[1]}
		}
	}
	code, where = t.namedCode()
	if code != "" {
		return code, where
	}
	for _, s := range theNames().Spoken {
		if p := strings.Index(t.low, s.Words); p >= 0 {
			return s.Code, span{p, p + len(s.Words)}
		}
	}
	for _, words := range theNames().Introduce {
		for from := 0; ; {
			p := strings.Index(t.low[from:], words)
			if p < 0 {
				break
			}
			begin := from + p
			from = begin + len(words)
			if c, n := codeAhead(t.low[from:]); c != "" {
				return c, span{begin, from + n}
			}
		}
	}
	if m := re("codeValue").FindStringSubmatchIndex(t.as); m != nil {
		name := strings.ToLower(t.as[m[2]:m[3]])
		if code := codeInCamel(name); code != "" {
			return code, span{m[0], m[1]}
		}
	}
	return t.cutCode()
}

// namedCode is the first code's name in the text: a word with an underscore that ends in it, alone or
// after a known prefix. CANCEL is an ordinary word.
func (t text) namedCode() (code string, where span) {
	known := theNames()
	for from := 0; ; {
		i := strings.IndexByte(t.low[from:], '_')
		if i < 0 {
			return "", span{}
		}
		at, end := from+i, from+i+1
		for at > 0 && wordByte(t.low[at-1]) {
			at--
		}
		for end < len(t.low) && wordByte(t.low[end]) {
			end++
		}
		word := t.low[at:end]
		for _, word := range [2]string{word, strings.TrimSuffix(word, "_error")} { // Jetty: enhance_your_calm_error
			for _, c := range known.Code {
				head, ok := strings.CutSuffix(word, strings.ToLower(c.Name))
				if ok && c.Name != "CANCEL" && (head == "" ||
					slices.ContainsFunc(known.Before, func(b string) bool { return strings.HasSuffix(head, b) }) ||
					strings.HasSuffix(head, "_") && containsAny(head, known.OfHTTP2)) {
					return c.Name, span{at + len(head), at + len(word)}
				}
			}
		}
		from = end
	}
}

// codeAhead reads a number or a name in camel case with at most a few punctuation marks before it;
// n is where it ends.
func codeAhead(low string) (code string, n int) {
	s := strings.TrimPrefix(strings.TrimPrefix(low, " is"), " was")
	for i := 0; i < 5 && s != "" && strings.IndexByte(` "'=:([<.`, s[0]) >= 0; i++ {
		s = s[1:]
	}
	end := 0
	for end < len(s) && wordByte(s[end]) {
		end++
	}
	if end == 0 || end > 24 {
		return "", 0
	}
	if code = theNames().camel[s[:end]]; code == "" {
		code = codeOf(s[:end])
	}
	return code, len(low) - len(s) + end
}

// cutCode is the code whose name is cut off at the end of the text.
func (t text) cutCode() (string, span) {
	for _, words := range theNames().Introduce[:6] {
		if at := strings.LastIndex(t.low, words); at >= 0 {
			if m := re("codeCut").whole().FindStringSubmatch(t.as[at+len(words):]); m != nil {
				return completed(m[1]), span{at, len(t.as)}
			}
		}
	}
	return "", span{}
}

// codeOf is the name of a numeric code, or "" if RFC 9113 doesn't define it.
func codeOf(number string) string {
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(number), "0x"); ok {
		number, base = hex, 16
	} else if len(number) > 2 {
		return ""
	}
	n, err := strconv.ParseUint(number, base, 32)
	if err != nil || n >= uint64(len(theNames().Code)) {
		return ""
	}
	return theNames().Code[n].Name
}

// codeInCamel is the code of a name in camel case, in lower case here, perhaps without its last word.
func codeInCamel(name string) string {
	return cmp.Or(theNames().camel[name], theNames().camel[name+"error"])
}

// completed is the only code that begins with a cut-off name.
func completed(cut string) string {
	found := ""
	for _, c := range theNames().Code {
		if name := c.Name; strings.HasPrefix(name, strings.ToUpper(cut)) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
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
		m := re("isGoaway").FindStringIndex(w)
		if m == nil && re("beside").MatchString(t.as) {
			m = re("capitals").FindStringIndex(w)
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
		if m := re("lastID").FindStringSubmatchIndex(w); m != nil {
			id, where = parseID(w[m[2]:m[3]]), span{at, at + m[1]}
		}
		return id != nil
	}, "last")
	if id == nil {
		t.places(func(at int) bool {
			w := t.window(at, 60)
			if m := re("shortID").FindStringSubmatchIndex(w); m != nil {
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
		if m := re("ownID").FindStringSubmatchIndex(w); m != nil {
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
	take := func(e *expression) func(int) bool {
		return func(at int) bool {
			if m := e.whole().FindStringSubmatch(t.window(at, 260)); m != nil {
				s := format.ClipLine(first(m), 120)
				said, where = &s, span{at, at + len(m[0])}
			}
			return said != nil
		}
	}
	t.places(take(re("debug")), "debug", "additional_data", "opaque_data")
	if said == nil {
		t.places(take(re("debugElse")), `goaway(b"`, "with error code", "debugdata '", "{goaway,", "msg[")
	}
	if said == nil {
		t.places(func(at int) bool {
			if m := re("hexDebug").whole().FindStringSubmatch(t.window(at, 420)); m != nil {
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

// origin is the scheme, host and port that the text names, safe to paste into a command.
func (t text) origin() (found *string) {
	t.places(func(at int) bool {
		said := re("origin").whole().FindString(t.window(at, 320))
		if said == "" || re("manuals").MatchString(said) {
			return false
		}
		if said = strings.TrimRight(said, `/"' ?),>;:.`); !strings.Contains(said, "[") {
			said = strings.TrimRight(said, "]")
		}
		found = &said
		return true
	}, "https://", "http://")
	if found == nil {
		if m := re("vhost").whole().FindStringSubmatch(t.as); m != nil {
			said := "https://" + strings.TrimRight(m[1], ".")
			found = &said
		}
	}
	return found
}

// detailed is the evidence with facts that are only shown.
func (e evidence) detailed() evidence {
	if e.Debug == nil {
		e.Debug, e.at[aboutDebug] = e.debug()
	}
	if m := re("grpcCode").whole().FindStringSubmatch(e.as); m != nil && (e.Frame != "" || strings.Contains(e.low, "grpc")) {
		e.GRPC = strings.ToUpper(m[1])
	}
	if n, err := strconv.Atoi(first(re("curlCode").whole().FindStringSubmatch(e.as))); err == nil {
		e.Curl = &n
	}
	e.Details = first(re("envoyMore").whole().FindStringSubmatch(e.as))
	e.Origin = e.origin()
	return e
}

// maxID is the largest stream id, 2^31 − 1: a GOAWAY with this last-stream-id announces the end of
// the connection and excludes no stream yet (RFC 9113 §6.8).
const maxID = 1<<31 - 1

// impossible says why an id can't be the last of a client's streams, which are odd (RFC 9113
// §5.1.1) and have 31 bits; "" if it can.
func (f Facts) impossible() facts.Text {
	switch id := f.LastStreamID; {
	case id == nil || *id == 0 || *id == maxID:
	case *id > maxID:
		return facts.T("decode.too-large")
	case *id%2 == 0:
		return facts.T("decode.even")
	}
	return facts.Text{}
}

// counted are the facts with how many requests the connection carried, if the id can be a client's.
func (f Facts) counted() Facts {
	f.Requests = nil
	if id := f.LastStreamID; id != nil && *id != 0 && *id < maxID && *id%2 == 1 {
		n, _ := requests(*id)
		f.Requests = &n
	}
	return f
}

// requests is how many streams a client opened up to an id, and whether that is a round number, as
// a configured limit would be. Clients begin at 1 or, if 1 is reserved for an upgrade (Netty,
// OkHttp), at 3; requests assumes 3 only if that gives hundreds or thousands.
func requests(id uint32) (n uint32, round bool) {
	n = (id + 1) / 2
	if fromThree := (id - 1) / 2; fromThree >= 100 && significant(fromThree) == 1 && significant(n) > 1 {
		n = fromThree
	}
	return n, n >= 10 && n%10 == 0 && significant(n) <= 2
}

// significant counts the digits before the trailing zeros.
func significant(n uint32) int {
	for n != 0 && n%10 == 0 {
		n /= 10
	}
	digits := 0
	for ; n > 0; n /= 10 {
		digits++
	}
	return digits
}

// codeOfFrame is the error code of a text that names a frame and spells the code in its own way.
func (t text) codeOfFrame(grpc bool) (string, span) {
	if m := re("frameNumber").FindStringSubmatchIndex(t.low); m != nil {
		at := span{max(m[2], m[4]), max(m[3], m[5])}
		return codeOf(t.low[at.from:at.to]), at
	}
	for _, m := range re("frameCode").whole().FindAllStringSubmatchIndex(t.low, mostPlaces) {
		words := t.low[m[2]:m[3]]
		if !strings.ContainsAny(t.low[m[0]:m[2]], "rd") { // neither error, code nor reason
			continue
		}
		if grpc && digit(words[0]) { // a status
			continue
		}
		if code := codeOf(strings.Replace(words, "0x0", "0x", 1)); code != "" && digit(words[0]) {
			return code, span{m[2], m[3]}
		}
		joined := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(words)
		if code := codeInCamel(joined); code != "" {
			return code, span{m[2], m[3]}
		}
	}
	return "", span{}
}

// containsAny reports whether a text has one of the parts, or needs none.
func containsAny(s string, parts []string) bool {
	return len(parts) == 0 || slices.ContainsFunc(parts, func(w string) bool { return strings.Contains(s, w) })
}

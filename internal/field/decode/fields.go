package decode

import (
	"cmp"
	"strings"

	"h2lab/internal/base/textwrap"
)

// Programs write the facts of a frame as fields: JSON, logfmt, Rust's and Java's records. Each spells the names in its own way
// (goawayErrorCode, goaway_code, "h2.goaway.code", {"goaway": {"code": …), so a field's name is read as its words, those of the
// record that it stands in before them.

// keyed is a name in lower case, its words joined by underscores, and its value.
type keyed struct {
	path, value string
	at          span
}

// deepest is how many records a field stands in at most.
const deepest = 8

var (
	// keyOfCode matches the name of an error code; the first group is what it is the code of. keyOfAnyCode has no such words.
	keyOfCode = lazily(`(?:^|_)(go_?away|rst(?:_?stream)?|stream_?reset|reset_?stream|reset|stream|(?:ng)?http_?2|h2)_?` +
		`(?:[a-z]+_){0,2}?((?:err(?:or)?_?)?code|err(?:or)?_?(?:no|num|number)?|reason)(?:_(?:name|num|number|value|str|string|text|hex|int|id|raw))?$`)
	keyOfAnyCode = lazily(`(^|_)((?:err(?:or)?_?)?code|err(?:or)?_?(?:no|num|number)?|reason)(?:_(?:name|num|number|value|str|string|text|hex|int|id|raw))?$`)
	// keyOfOther matches the names of other codes.
	keyOfOther = lazily(`(?:^|_)(?:grpc|status|exit|response|resp|sys|os|curl|app|application|user|trace|count|total)(?:_|$)`)
	// keyOfLast and keyOfOwn match the names of a GOAWAY's last stream id and of a request's stream.
	keyOfLast = lazily(`(?:^|_)last_?(?:(?:good|accepted|processed|peer|known|client|remote|valid|received|initiated|seen|handled)_?){0,3}` +
		`(?:stream_?(?:id|identifier|num|number)?|sid)(?:_value)?$|(?:^|_)go_?away_?(?:[a-z]+_)?(?:last|max|highest)_?(?:id|sid|stream_?(?:id)?)$`)
	keyOfOwn = lazily(`^(?:(?:h2|(?:ng)?http_?2?|frame|rst(?:_?stream)?|reset|request|req|failed|client|grpc|affected)_?)*` +
		`stream_?(?:id|identifier|num|number|no)$`)
	// keyOfDebug matches the names of a GOAWAY's debug data.
	keyOfDebug = lazily(`(?:^|_)(?:debug_?data|additional_?(?:debug_?)?data|opaque_?data)(?:_(?:text|str|string|utf8|ascii))?$|` +
		`(?:^|_)go_?away_(?:[a-z]+_)?(?:debug(?:_(?:text|msg|message|info|str|string))?|message|msg|text|data)$`)
)

// fieldWords are parts of names of which every text with such a field has one.
var fieldWords = []string{"goaway", "go_away", "go-away", "go.away", "rst", "stream", "http2", "http_2", "h2", "last_", "last-"}

// fields are a text's fields that name a fact of a frame.
func (t text) fields() (out []keyed) {
	if !strings.ContainsAny(t.low, ":=") || !containsAny(t.low, fieldWords) {
		return nil
	}
	var records []span
	name, mark := span{}, 0 // the last field, and where its value begins
	for at := range len(t.as) {
		switch t.as[at] {
		case '{', '(', '[':
			if parent := t.nameEndingAt(at); parent.to > parent.from || len(strings.TrimRight(t.as[mark:at], " ")) > 0 {
				records = append(records, parent)
			} else {
				records = append(records, name)
			}
		case '}', ')', ']':
			records = records[:max(0, len(records)-1)]
		case ':', '=':
			here := t.nameEndingAt(at)
			if here.to == here.from {
				continue
			}
			name, mark = here, at+1
			if value := valueOf(t.as[mark:]); value != "" && containsAny(t.low[here.from:here.to], keyWords) {
				path := t.path(records[max(0, len(records)-deepest):], here)
				out = append(out, keyed{path, value, span{here.from, min(len(t.as), at+2+len(value))}})
			}
		}
	}
	return out
}

// keyWords are parts of words of which every name of such a field has one.
var keyWords = []string{"code", "err", "reason", "stream", "sid", "away", "debug", "data", "last", "value", "num"}

// nameEndingAt is the name before an index, empty if there is none.
func (t text) nameEndingAt(at int) span {
	for at > 0 && strings.IndexByte(" \"'`", t.as[at-1]) >= 0 {
		at--
	}
	from := at
	for from > 0 && at-from < 64 && (wordByte(t.as[from-1]) || t.as[from-1] == '.' || t.as[from-1] == '-') {
		from--
	}
	return span{from, at}
}

// path are the words of the names of the records around a field and its own, joined by underscores.
func (t text) path(records []span, name span) string {
	var out strings.Builder
	for _, part := range append(records[:len(records):len(records)], name) {
		if part.to > part.from && out.Len() > 0 {
			out.WriteByte('_')
		}
		for i := part.from; i < part.to; i++ {
			switch c := t.as[i]; {
			case c == '.' || c == '-':
				out.WriteByte('_')
			default:
				if upper(c) && i > part.from && (lower(t.as[i-1]) || digit(t.as[i-1])) {
					out.WriteByte('_')
				}
				out.WriteByte(t.low[i])
			}
		}
	}
	return out.String()
}

// valueOf is the value at the beginning of a text, "" for a record.
func valueOf(s string) string {
	if s = strings.TrimLeft(s, "=: "); s == "" {
		return ""
	}
	if strings.HasPrefix(s, "b'") || strings.HasPrefix(s, `b"`) { // Python's bytes
		s = s[1:]
	}
	if quote := s[0]; quote == '"' || quote == '\'' {
		value, _, _ := strings.Cut(s[1:min(len(s), 201)], string(quote))
		return value
	}
	end := 0
	for end < len(s) && (wordByte(s[end]) || s[end] == '-' || s[end] == '.' || s[end] == ':') {
		end++
	}
	return s[:end]
}

// inFields reads what fields say of a frame.
func (t text) inFields(p *proofs) {
	all := t.fields()
	for _, f := range all {
		if p.LastStreamID == nil && keyOfLast().MatchString(f.path) {
			if id := parseID(f.value); id != nil {
				p.LastStreamID, p.at[aboutLast] = id, f.at
			}
			continue
		}
		if p.StreamID == nil && keyOfOwn().MatchString(f.path) {
			if id := parseID(f.value); id != nil && *id != 0 {
				p.StreamID, p.at[aboutStream] = id, f.at
			}
			continue
		}
		if p.Debug == nil && keyOfDebug().MatchString(f.path) && f.value != "null" && f.value != "nil" && f.value != "None" {
			said := textwrap.Clip(f.value, 120)
			p.Debug, p.at[aboutDebug] = &said, f.at
		}
	}
	for _, f := range all {
		p.codeField(f, t)
	}
}

// codeField reads an error code in a field. The name of a frame before it tells the event. Beside a last stream id any code is the
// GOAWAY's; code 0 alone also stands where no frame came.
func (p *proofs) codeField(f keyed, t text) {
	if keyOfOther().MatchString(f.path) {
		return
	}
	m := keyOfCode().FindStringSubmatch(f.path)
	if m == nil && p.LastStreamID != nil && p.Code == "" {
		m = keyOfAnyCode().FindStringSubmatch(f.path)
	}
	if m == nil {
		return
	}
	goaway, rst := strings.HasPrefix(m[1], "go"), strings.HasPrefix(m[1], "rst") || strings.Contains(m[1], "reset") && m[1] != "reset"
	code := codeNamed(f.value)
	if code == "" || digit(f.value[0]) && !goaway && p.LastStreamID == nil && !strings.HasSuffix(m[2], "code") { // a count, perhaps
		return
	}
	if code == "NO_ERROR" && p.LastStreamID == nil {
		if _, ok := t.goaway(); !ok {
			return
		}
	}
	if p.Code == "" || goaway || rst {
		p.Code, p.at[aboutCode] = code, f.at
	}
	p.sign = p.sign || goaway || rst
	switch {
	case code == "NO_ERROR":
	case goaway && p.rank < rankGoaway-1:
		p.event(onGoaway, rankGoaway-1, f.at)
	case rst && p.rank < rankStream:
		p.event(onRstStream, rankStream, f.at)
	}
}

// codeNamed is the error code of a number or of a name in any spelling, with the number after or before it or without.
func codeNamed(value string) string {
	if value == "" || strings.EqualFold(value, "connect") || strings.EqualFold(value, "internal") && len(value) < 8 {
		return ""
	}
	if digit(value[0]) {
		number, _, _ := strings.Cut(value, " ")
		return codeOf(strings.Trim(number, ":,"))
	}
	name, _, _ := strings.Cut(strings.ToLower(value), "(")
	name = name[strings.LastIndexAny(name, ".:")+1:]
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "ng"), "http2"), "err")
	return cmp.Or(camel[name], camel[name+"error"], camel[strings.TrimSuffix(name, "error")])
}

package trace

import (
	"regexp"
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// content is what a frame's Detail says, by its parts.
type content struct {
	pseudo    map[string]string // :status of an answer; :method and :path of a request
	settings  []facts.Setting
	goaway    *goaway
	code      string // of RST_STREAM
	increment *uint32
}

// goaway is the content of a GOAWAY.
type goaway struct {
	last  uint32
	code  string
	debug string
	ms    float64
}

var goawayDetail = regexp.MustCompile(`^last_stream_id=(\d+) (.*?) debug=(".*")$`)

// read parses a frame's Detail. Parts that don't fit the frame's type are skipped; they remain in
// the Detail.
func read(f facts.Frame) content {
	var c content
	switch f.Type {
	case "HEADERS", "CONTINUATION":
		c.pseudo = pseudoOf(f.Detail)
	case "SETTINGS":
		c.settings = settingsOf(f.Detail)
	case "GOAWAY":
		c.goaway = goawayOf(f)
	case "RST_STREAM":
		c.code = f.Detail
	case "WINDOW_UPDATE":
		if s, ok := strings.CutPrefix(f.Detail, "increment="); ok {
			c.increment = number(s)
		}
	}
	return c
}

// pseudoOf reads ":method GET :path /lab/health".
func pseudoOf(detail string) map[string]string {
	words := strings.Fields(detail)
	fields := map[string]string{}
	for i := 0; i+1 < len(words); i += 2 {
		if strings.HasPrefix(words[i], ":") {
			fields[words[i]] = words[i+1]
		}
	}
	return fields
}

// settingsOf reads "MAX_CONCURRENT_STREAMS=128 INITIAL_WINDOW_SIZE=65536".
func settingsOf(detail string) []facts.Setting {
	var all []facts.Setting
	for _, word := range strings.Fields(detail) {
		name, value, ok := strings.Cut(word, "=")
		if n := number(value); ok && n != nil {
			all = append(all, facts.Setting{Name: name, Value: *n})
		}
	}
	return all
}

// goawayOf reads `last_stream_id=1999 NO_ERROR debug=""`.
func goawayOf(f facts.Frame) *goaway {
	m := goawayDetail.FindStringSubmatch(f.Detail)
	if m == nil {
		return nil
	}
	last := number(m[1])
	debug, err := strconv.Unquote(m[3])
	if last == nil || err != nil {
		return nil
	}
	return &goaway{last: *last, code: m[2], debug: debug, ms: f.TMS}
}

func number(s string) *uint32 {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return nil
	}
	v := uint32(n)
	return &v
}

// milliseconds reads the number before " ms" that follows a word: "TCP in 0.10 ms, TLS in 3.40 ms".
func milliseconds(detail, after string) float64 {
	_, rest, ok := strings.Cut(detail, after)
	if !ok {
		return -1
	}
	word, _, _ := strings.Cut(rest, " ms")
	v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil || v < 0 || v > 1e9 {
		return -1
	}
	return v
}

// opensNext reports whether a frame is the first of another connection.
func opensNext(i int, f facts.Frame) bool {
	return i > 0 && f.Sent && f.Type == "TCP" && strings.HasPrefix(f.Detail, "new connection")
}

// clean reduces text to one line without control characters.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.Join(strings.Fields(s), " ")
}

package decode

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// codeNames are the error codes of RFC 9113 §7 in order, 0 to 13.
var codeNames = []string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// spoken are texts that libraries print instead of a code's name: h2's Reason (Rust), the JDK's
// ErrorFrame, Envoy, Chrome. Lower case.
var spoken = []struct{ words, code string }{
	{"not a result of an error", "NO_ERROR"},
	{"unspecific protocol error detected", "PROTOCOL_ERROR"},
	{"unexpected internal error encountered", "INTERNAL_ERROR"},
	{"flow-control protocol violated", "FLOW_CONTROL_ERROR"},
	{"settings ack not received in timely manner", "SETTINGS_TIMEOUT"},
	{"received frame when stream half-closed", "STREAM_CLOSED"},
	{"frame with invalid size", "FRAME_SIZE_ERROR"},
	{"refused stream before processing any application logic", "REFUSED_STREAM"},
	{"stream no longer needed", "CANCEL"},
	{"unable to maintain the header compression context", "COMPRESSION_ERROR"},
	{"detected excessive load generating behavior", "ENHANCE_YOUR_CALM"},
	{"security properties do not meet minimum requirements", "INADEQUATE_SECURITY"},
	{"endpoint requires http/1.1", "HTTP_1_1_REQUIRED"},
	{"rst_stream: stream not processed", "REFUSED_STREAM"},
	{"rst_stream: stream cancelled", "CANCEL"},
	{"rst_stream: protocol error", "PROTOCOL_ERROR"},
	{"rst_stream: internal error", "INTERNAL_ERROR"},
	{"rst_stream: processing capacity exceeded", "ENHANCE_YOUR_CALM"},
	{"rst_stream: use http/1.1 for request", "HTTP_1_1_REQUIRED"},
	{"remote_refused_stream_reset", "REFUSED_STREAM"},
	{"remote refused stream reset", "REFUSED_STREAM"},
	{"http2_server_refused_stream", "REFUSED_STREAM"},
	{"stream refused by server", "REFUSED_STREAM"},
}

// before are prefixes that libraries write directly before a code's name.
var before = []string{"nghttp2_", "err_http2_", "http2_", "h2_", "http_2_", "h2_err_", "ngx_http_v2_"}

// introduce are the texts before a numeric code. Lower case.
var introduce = []string{
	"error code", "error_code", "error-code", "errorcode", "err_code", "errcode", "http2_error", "http2 error",
	"http/2 error",
	"rst_stream with code", "goaway with error", "request with error", "received with code", "stream reset:", "(err",
	"goaway, error", "goaway error", "got goaway [", "goaway frame: error", "http2errorcode<", ", code", ", error",
}

var (
	// CANCEL is also an ordinary word: it counts only where a code is expected.
	codeCancel = regexp.MustCompile(`(?i:NGHTTP2_|error[ _]?codes?[ .:='"(]+(?:ErrorCodes\.)?|was reset: ` +
		`|Reset\(StreamId\(\d+\), |RST_STREAM[ (:]+|stream ID \d+; |stream \d+ was not closed cleanly: )(CANCEL)\b`)
	// A name that is cut off at the end of a clipped line.
	codeCut = regexp.MustCompile(`^[=: ]+([A-Za-z][A-Za-z_]{4,})$`)
	// Ruby's protocol-http2 prints the frame's payload: id, code, debug data.
	goawayPayload = regexp.MustCompile(`GoawayFrame [^\]]*payload=\[(\d{1,10}), (\d{1,2}), "([^"]*)"\]`)
	// Mint prints the frame as a tuple: stream, flags, id, code, debug data.
	goawayTuple = regexp.MustCompile(`\{:goaway, \d+, \d+, (\d{1,10}), :([a-z_0-9]+), "([^"]*)"\}`)
)

// code is the HTTP/2 error code that a text names, or "".
func (t text) code() string {
	if strings.Contains(t.low, "cancel") && codeCancel.MatchString(t.as) {
		return "CANCEL"
	}
	found, where := "", len(t.low)
	for i, name := range codeLow {
		if i == 8 {
			continue
		}
		if at := t.name(name); at >= 0 && at < where {
			found, where = codeNames[i], at
		}
	}
	if found != "" {
		return found
	}
	for _, s := range spoken {
		if strings.Contains(t.low, s.words) {
			return s.code
		}
	}
	for _, words := range introduce {
		for rest := t.low; ; {
			_, after, ok := strings.Cut(rest, words)
			if !ok {
				break
			}
			if c := codeAhead(after); c != "" {
				return c
			}
			rest = after
		}
	}
	return t.cutCode()
}

var codeLow = func() (out []string) {
	for _, n := range codeNames {
		out = append(out, strings.ToLower(n))
	}
	return out
}()

// name is the index of a code's name as a whole word, or -1.
func (t text) name(name string) int {
	for from := 0; ; {
		i := strings.Index(t.low[from:], name)
		if i < 0 {
			return -1
		}
		at, end := from+i, from+i+len(name)
		if !(end < len(t.low) && wordByte(t.low[end])) {
			head := t.low[:at]
			if at == 0 || !wordByte(head[at-1]) ||
				slices.ContainsFunc(before, func(b string) bool { return strings.HasSuffix(head, b) }) {
				return at
			}
		}
		from = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// codeAhead reads a number with at most a few punctuation marks before it.
func codeAhead(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, " is"), " was")
	for n := 0; n < 5 && s != "" && strings.IndexByte(` "'=:([<`, s[0]) >= 0; n++ {
		s = s[1:]
	}
	end := 0
	for end < len(s) && wordByte(s[end]) {
		end++
	}
	if end == 0 || end > 10 {
		return ""
	}
	return codeOf(s[:end])
}

// cutCode is the code whose name is cut off at the end of the text.
func (t text) cutCode() string {
	for _, words := range introduce[:6] {
		if at := strings.LastIndex(t.low, words); at >= 0 {
			if m := codeCut.FindStringSubmatch(t.as[at+len(words):]); m != nil {
				return completed(m[1])
			}
		}
	}
	return ""
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
	if err != nil || n >= uint64(len(codeNames)) {
		return ""
	}
	return codeNames[n]
}

// completed is the only code that begins with a cut-off name.
func completed(cut string) string {
	found := ""
	for _, name := range codeNames {
		if strings.HasPrefix(name, strings.ToUpper(cut)) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

package decode

import (
	"cmp"
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

// codeMeans is what RFC 9113 §7 says of each code.
var codeMeans = map[string]string{
	"NO_ERROR":            "no error",
	"PROTOCOL_ERROR":      "a breach of the protocol",
	"INTERNAL_ERROR":      "an unexpected internal error",
	"FLOW_CONTROL_ERROR":  "a breach of the flow control",
	"SETTINGS_TIMEOUT":    "SETTINGS was not acknowledged in time",
	"STREAM_CLOSED":       "a frame for a stream that was half-closed",
	"FRAME_SIZE_ERROR":    "a frame of an invalid size",
	"REFUSED_STREAM":      "refused before the application saw it",
	"CANCEL":              "the stream is no longer needed",
	"COMPRESSION_ERROR":   "the state of the header compression was lost",
	"CONNECT_ERROR":       "the connection behind a CONNECT was reset",
	"ENHANCE_YOUR_CALM":   "the peer may cause excessive load",
	"INADEQUATE_SECURITY": "TLS doesn't meet the minimum requirements",
	"HTTP_1_1_REQUIRED":   "HTTP/1.1 must be used instead",
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
	{"enhance-your-calm", "ENHANCE_YOUR_CALM"},
	{"enhanceyourcalm", "ENHANCE_YOUR_CALM"},
	{"enhance your calm", "ENHANCE_YOUR_CALM"},
	{"stream was refused", "REFUSED_STREAM"},
	{"stream refused", "REFUSED_STREAM"},
	{"retried on an older http version", "HTTP_1_1_REQUIRED"},
	{"cancel_stream_error", "CANCEL"},
	{"http_connect_error", "CONNECT_ERROR"},
	{"refusing stream", "REFUSED_STREAM"},
}

// before are prefixes that libraries write directly before a code's name; ofHTTP2 are words in any other prefix.
var before = []string{"nghttp2_", "err_http2_", "http2_", "h2_", "http_2_", "h2_err_", "ngx_http_v2_", "h2se_", "h2ce_"}

var ofHTTP2 = []string{"http2_err", "http_2_err", "h2_err", "http2_code", "h2_code", "h2_reason"}

// introduce are the texts before a numeric code. Lower case.
var introduce = []string{
	"error code", "error_code", "error-code", "errorcode", "err_code", "errcode", "http2_error", "http2 error",
	"http/2 error",
	"rst_stream with code", "goaway with error", "request with error", "received with code", "stream reset:", "(err",
	"goaway, error", "by the peer (", "stream reset (", "goaway error", "got goaway [",
	"goaway frame: error",
	"goaway with code", "session client: goaway", "session server: goaway",
	"http2errorcode<", ", code", "(code", ", error", "isreceived", "issent",
	"peer. reason:", "reset due to",
}

var (
	// CANCEL is also an ordinary word: it counts only where a code is expected.
	codeCancel = lazily(`(?i:NGHTTP2_|error[ _]?codes?[ .:='"(]+(?:ErrorCodes\.)?|was reset: |` +
		`stream_error,|peer reset: |` +
		`|Reset\(StreamId\(\d+\), |RST_STREAM[ (:]+|stream ID \d+; |stream \d+ was not closed cleanly: )(CANCEL)\b`)
	// A value of an enumeration: Http2ErrorCode::kRefusedStream, Reason.InternalError.
	codeValue = lazily(`(?:[Ee]rr(?:or)?[Cc]odes?|[Hh](?:ttp)?2[Ee]rr(?:or)?|HTTP2Error|[Rr]eason)(?:::|\.|#|/)k?([A-Z][A-Za-z]{5,})\b`)
	// A name that is cut off at the end of a clipped line.
	codeCut = lazily(`^[=: ]+([A-Za-z][A-Za-z_]{4,})$`)
	// Jetty prints a connection's error as its code and its reason: 1/unexpected_rst_stream_frame.
	codeReason = lazily(`(?:^|[ :=])(1[0-3]|\d)/[a-z]+(?:_[a-z0-9]+)+`)
)

// code is the HTTP/2 error code that a text names, or "", and where.
func (t text) code() (code string, where span) {
	if strings.Contains(t.low, "cancel") {
		if m := codeCancel().FindStringIndex(t.as); m != nil {
			return "CANCEL", span{m[0], m[1]}
		}
	}
	code, where = t.named()
	if code != "" {
		return code, where
	}
	for _, s := range spoken {
		if p := strings.Index(t.low, s.words); p >= 0 {
			return s.code, span{p, p + len(s.words)}
		}
	}
	for _, words := range introduce {
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
	if m := codeValue().FindStringSubmatchIndex(t.as); m != nil {
		name := strings.ToLower(t.as[m[2]:m[3]])
		if code := cmp.Or(camel[name], camel[name+"error"]); code != "" {
			return code, span{m[0], m[1]}
		}
	}
	return t.cutCode()
}

// codeOfCancel is the number of CANCEL, which is an ordinary word too.
const codeOfCancel = 8

var codeLow = func() (out []string) {
	for _, n := range codeNames {
		out = append(out, strings.ToLower(n))
	}
	return out
}()

// named is the first code's name in the text: a word with an underscore that ends in it, alone or
// after a known prefix. CANCEL is an ordinary word.
func (t text) named() (code string, where span) {
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
			for k, name := range codeLow {
				head, ok := strings.CutSuffix(word, name)
				if ok && k != codeOfCancel && (head == "" ||
					slices.ContainsFunc(before, func(b string) bool { return strings.HasSuffix(head, b) }) ||
					strings.HasSuffix(head, "_") && len(head) > 0 && containsAny(head, ofHTTP2)) {
					return codeNames[k], span{at + len(head), at + len(word)}
				}
			}
		}
		from = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
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
	if code = camel[s[:end]]; code == "" {
		code = codeOf(s[:end])
	}
	return code, len(low) - len(s) + end
}

// camel are the codes' names in camel case, in lower case here: InternalError, noError.
var camel = func() map[string]string {
	out := map[string]string{"cancel": "CANCEL"}
	for _, n := range codeNames {
		out[strings.ToLower(strings.ReplaceAll(n, "_", ""))] = n
	}
	return out
}()

// cutCode is the code whose name is cut off at the end of the text.
func (t text) cutCode() (string, span) {
	for _, words := range introduce[:6] {
		if at := strings.LastIndex(t.low, words); at >= 0 {
			if m := codeCut().FindStringSubmatch(t.as[at+len(words):]); m != nil {
				return completed(m[1]), span{at, len(t.as)}
			}
		}
	}
	return "", span{}
}

// reasoned reads a code that stands before its reason.
func (t text) reasoned(p *proofs) {
	if p.Event != onViolation || p.Code != "" {
		return
	}
	if m := codeReason().FindStringSubmatchIndex(t.low); m != nil {
		p.Code, p.at[aboutCode] = codeOf(t.low[m[2]:m[3]]), span{m[2], m[3]}
	}
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

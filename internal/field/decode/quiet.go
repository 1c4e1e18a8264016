package decode

import (
	"regexp"
	"slices"
	"strings"
)

// silence are the parts of a text whose words state no event: first the frames of stack traces, then
// quoted requests, parameters of SETTINGS, the rest of addresses and file names, and keys whose value
// says that nothing was counted.
func (t text) silence(requests []span) (out []span, frames int) {
	out, frames = t.stack()
	if t.has(markTLS, markVerify) {
		out = append(out, t.matches(curlTLS())...)
		out = append(out, t.matches(overlooked())...)
	}
	if containsAny(t.low, []string{"envoy.", "[source/", "capture length"}) {
		out = append(out, t.matches(partNames())...)
	}
	if t.has(markBrace) && strings.Contains(t.low, `="`) {
		out = append(out, t.matches(metric())...)
	}
	if t.has(markSettings, markConcurrent) {
		out = append(out, t.matches(parameter())...)
	}
	if strings.Contains(t.low, "transient failure") && !ofChannel().MatchString(t.low) {
		out = append(out, t.matches(passing())...)
	}
	if t.has(markTimeout, markTimeouts, markDeadline, markDuration) {
		out = append(out, t.matches(setting())...)
	}
	out = append(out, requests...)
	for at := range len(t.as) {
		c := t.as[at]
		if c != '/' && c != ':' && c != '=' {
			continue
		}
		switch {
		case c == '/' && at > 1 && t.as[at-1] == '/' && t.as[at-2] == ':':
			out = append(out, span{at, t.end(at, outside)})
		case c == '/' && (at == 0 || strings.IndexByte(" \"'(=", t.as[at-1]) >= 0):
			if to := t.end(at, outside+":"); fileName().MatchString(t.as[at:to]) {
				out = append(out, span{at, to})
			}
		case c == ':' || c == '=':
			if part, ok := t.emptyField(at); ok {
				out = append(out, part)
			}
		}
	}
	return out, frames
}

// TRANSIENT_FAILURE is a state of gRPC's channels (grpc/grpc doc/connectivity-semantics-and-api.md). Services call any failure a
// transient one, also their answer.
var (
	passing   = lazily(`\b[Tt]ransient [Ff]ailures?\b`)
	ofChannel = lazily(`channel|connectivity|sub-?conn|balancer|picker|backends? in|addresses`)
)

// outside are the bytes that end an address.
const outside = " \"'<>,;)]}?"

var (
	metric  = lazily(`\b\w+\{\w+="[^}]*\} [\d.e+]+(?:\s|$)`) // Prometheus
	curlTLS = lazily(`TLSv1\.\d \((?:IN|OUT)\), TLS (?:handshake|alert, (?:warning, )?close notify)` +
		`|set certificate verify locations|SSL certificate verify ok`)
	// overlooked matches a certificate that a client accepts although it can't verify it: curl -k, nghttp, wget.
	overlooked = lazily(`(?i)\b(?:ssl |tls )?cert\w*(?: \S+){0,12}?,? (?:continuing|proceeding|connecting|accepting)(?: anyway| insecurely)\b|` +
		`\bWARN(?:ING)?\b[]:]* cert\w* verif\w+ (?:failed|error)\b(?:: [\w -]+)?|` +
		`(?:ignoring|ignored|skipping)(?: \S+){0,4} cert\w*(?: \S+){0,3}? (?:error|failure|verif\w+)`)
	setting = lazily(`(?i)[\w-]*timeout="?\d|grpc-timeout["']?[:,=] ?"?@?\d|` +
		`[\w-]+(?:[_.-]|\w)(?:timeout|duration)["']?: ?"?\d|\b(?:no|without(?: an?| any)?) (?:[\w-]+ )?time-?outs?\b`)
	// partNames are what Envoy calls its parts and its sources, OpenSSL's word that more bytes are needed, and tshark's size of a packet.
	partNames = lazily(`\benvoy\.[a-z0-9_]+(?:\.[a-z0-9_]+)*|\[source/[\w/.-]+:\d+\]|` +
		`ssl error occurred while \w+: (?:WANT_\w+|ZERO_RETURN)|Frame Length: \d+ bytes`)
	fileName = lazily(`^(?:/[\w.@-]+){2,}\.[a-z]{1,4}$`)
	request  = lazily(`"[A-Z]{3,7} [^" ]+ HTTP/`)
	// A parameter of a SETTINGS frame with its value is in every trace of a connection's beginning.
	// curl tells that one changed.
	parameter = lazily(`(?i)(?:MAX[_-]?CONCURRENT[_-]?STREAMS?|MAX_HEADER_LIST_SIZE|MAX_FRAME_SIZE|` +
		`INITIAL_WINDOW_SIZE|HEADER_TABLE_SIZE|ENABLE_PUSH)["']? ?(?:(?:==?|[:(]) ?"?\d+|(?:is |was )?(?:now|updated|changed|set to|announced)\b)`)
)

// requests are the request lines of access logs.
func (t text) requests() []span {
	if !t.has(markRequest) {
		return nil
	}
	return slices.DeleteFunc(t.matches(request()), func(at span) bool {
		return strings.HasPrefix(t.as[at.from:], `"PRI `) // the preface of HTTP/2, taken for a request
	})
}

// matches are the parts that an expression matches.
func (t text) matches(e *regexp.Regexp) (out []span) {
	for _, m := range e.FindAllStringIndex(t.as, -1) {
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

// emptyField is the field around a colon or an equals sign if its value is empty: of JSON, of logfmt
// and of lines of statistics. A name without quotes must have two parts.
func (t text) emptyField(at int) (part span, ok bool) {
	value := strings.TrimPrefix(t.as[at+1:], " ")
	if value == "" || strings.IndexByte(`0nf"`, value[0]) < 0 {
		return span{}, false
	}
	i := slices.IndexFunc(nothing, func(n string) bool {
		rest, ok := strings.CutPrefix(value, n)
		return ok && (rest == "" || strings.IndexByte(" ,}]", rest[0]) >= 0)
	})
	if i < 0 {
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
	return span{from, len(t.as) - len(value) + len(nothing[i])}, true
}

// thrown reports whether a name is an exception's class, which Java prints with its message: null.
func thrown(name string) bool {
	return strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error")
}

func inside(parts []span, at span) bool {
	return slices.ContainsFunc(parts, func(part span) bool { return at.from >= part.from && at.to <= part.to })
}

// closedStream matches a stream, by its number, that was reset.
var closedStream = lazily(`\bstream(?: with)?(?:[ _-]?id)?[ :#=(<[]{1,3}(?:0x)?\d+[>)\]]?(?: [\w-]+){0,3},? ` +
	`(?:(?:reset|refused|aborted|cancell?ed|rejected|terminated)\b|` +
	`closed by (?:the )?(?:peer|remote|server|client)\b|error \()` +
	`(?:[^.;\n]{0,24}?\b(?:error|code|reason)[ :=(]{1,3}(0x[0-9a-f]{1,2}|\d{1,2})\b)?`)

// closedWith matches a stream that was closed with a code, as Apache's proxy says it.
var closedWith = lazily(`\bstream[=(]\d+\)?,? closed[ ,(]{1,2}(?:touched=\d+, )?err(?:or)?=(\d+)`)

// closedWell matches a stream that was closed without an error.
var closedWell = lazily(`\bstreams?\b[^\n]{0,40}\bclosed? [^\n]{0,24}(?:code|error)[ :=]{1,3}` +
	`(?:0x0+|0)\b(?: ?$|[^(]{2})|` +
	`\bstream[=(]\d+\)?,? closed[ ,(]{1,2}(?:touched=\d+, )?err(?:or)?=0\b|` +
	`\bclos(?:ed?|ing) stream\b[^\n]{0,40}(?:code|error)[ :=]{1,3}0\b`)

// numbered reads the ends of streams that have a number or a code.
func (t text) numbered(p *proofs) {
	if p.rank <= rankStream && t.has(markStream) && p.LastStreamID == nil && closedWell().MatchString(t.low) {
		if p.event(onNormal, rankStream+1, span{}); p.Speaker == "server" {
			p.Event = onServerLine
		}
		return
	}
	if p.rank >= rankStream || !t.has(markStream) {
		return
	}
	m := closedStream().FindStringSubmatchIndex(t.low)
	if m == nil {
		m = closedWith().FindStringSubmatchIndex(t.low)
	}
	if m == nil {
		return
	}
	p.event(onRstStream, rankStream, span{m[0], m[1]})
	if p.Code == "" && strings.HasSuffix(t.low[:m[1]], "refused") {
		p.Code, p.at[aboutCode] = "REFUSED_STREAM", span{m[0], m[1]}
	}
	if p.Code == "" && m[2] >= 0 {
		p.Code, p.at[aboutCode] = codeOf(t.low[m[2]:m[3]]), span{m[2], m[3]}
	}
}

package decode

import (
	"regexp"
	"slices"
	"strings"
)

// whileReading matches texts of a TLS connection that was already in use.
var whileReading = regexp.MustCompile(`ssl_?read|ssl_?write|session_read|close.notify|zero_return|receiv|recv|` +
	`while reading|read failed|body`)

// cutShort matches handshakes that ended before the two sides could disagree, disagreed what they disagree on.
var (
	cutShort  = regexp.MustCompile(`time-?d? ?out|\beof\b|reset|closed|syscall|disconnected|terminated`)
	disagreed = regexp.MustCompile(`certificat|verif|alert|authorit|version|x509|alpn|cipher|record|mismatch|` +
		`expired|trust`)
)

// badRecord matches alerts about the data of a connection that was already in use.
var badRecord = regexp.MustCompile(`bad.record.mac|decryption.failed`)

// ofTLS tells a failed handshake from a connection that failed in use.
func (p *proofs) ofTLS(t text) {
	p.inUse = p.Event == onTLSFailure && badRecord.MatchString(t.low)
	if p.Event == onTLSFailure && whileReading.MatchString(t.low) && !strings.Contains(t.low, "handshake") &&
		!strings.Contains(t.low, "(35)") && !strings.Contains(t.low, "error 35") &&
		!strings.Contains(t.low, "certificate") && !strings.Contains(t.low, "verif") &&
		!strings.Contains(t.low, "record") {
		p.Event, p.rank, p.never = onClosed, weak, false
	}
	p.cut = p.Event == onTLSFailure && cutShort.MatchString(t.low) && !disagreed.MatchString(t.low)
	ended := p.states(onClosed) || p.Speaker == "server" && p.states(onTimedOut)
	if p.Event == onViolation && p.never && ended { // the connection ended before the preface
		if p.Event = onNeverConnected; p.Speaker == "server" {
			p.Event = onServerLine
		}
	}
}

// otherProtocol matches texts of an end that expects another protocol than the other speaks.
var otherProtocol = regexp.MustCompile(`first 5 bytes: (?:4854|1503|4745|3c68)|http/?1|http1|preface|` +
	`support http/?2|http/?2 is not supported|prior knowledge|` +
	`first record|looked like|magic|greeting|unsupported http version|alpn|connect an http1|` +
	`invalid or unrecognized response|content=0000`)

// asciiLength matches lengths that are the letters of HTTP/1.1 or TLS: HTT, HTTP, GET, POS, <ht, and
// 0x15 0x03 of a TLS alert.
var asciiLength = regexp.MustCompile(`\b(?:4740180|1213486160|4670804|5263187|3958900|1347375956|` +
	`1195725856|0x485454|1414022479|` +
	`21536|20527|5459284|1370628|1376515)\b`)

// otherReason matches reasons of an end in order that are no limit.
var otherReason = regexp.MustCompile(`shutdown|shutting|\bstop\b|stopping|restart|reload|idle|max_age|` +
	`upgrade|deploy|draining`)

// credentials matches debug data that object to who the client is: Apple's push service sends
// {"reason":"BadCertificate"}.
var credentials = regexp.MustCompile(`(?i)certificate|token|credential|unauthor|forbidden`)

// ofPings matches texts that object to pings.
var ofPings = regexp.MustCompile(`\bpings?\b|_pings?\b|keepalive|keep-alive`)

// circumstances are what decides between the changes for one event.
func (p *proofs) circumstances(t text) {
	switch p.Event {
	case onLocalLimit:
		p.breaker = strings.Contains(t.low, "circuit") || strings.Contains(t.low, "overflow") ||
			strings.Contains(p.Flags, "UO")
	case onClosed:
		p.idle = strings.Contains(t.low, "idle") && !strings.Contains(t.low, "non-idle")
	case onViolation:
		p.otherProtocol = p.rank == rankProtocol || otherProtocol.MatchString(requestLine.ReplaceAllString(t.low, "")) ||
			asciiLength.MatchString(t.low)
	}
	p.reason = otherReason.MatchString(t.low) && !strings.Contains(t.low, "graceful shutdown goaway") ||
		p.Code == "" && p.states(onViolation)
	p.accused = accused.MatchString(t.low)
	p.forGood = p.Event == onStatus && forGood.MatchString(t.low) && !gateway.MatchString(t.low)
	p.quoted = ofApplication.MatchString(t.low) && !strings.Contains(t.low, "transport")
	p.behind = p.quoted && slices.Contains(certain, p.Event)
	p.pings = ofPings.MatchString(t.low)
	p.thrown = p.Speaker == "server" && strings.Contains(t.low, "exception") && !strings.Contains(t.low, "preface")
	p.unfit = p.Debug != nil && credentials.MatchString(*p.Debug)
	p.xds = strings.Contains(t.low, "aggregatedresources") || strings.Contains(t.low, "grpc config stream")
}

func orElse(s *string, at span, look func() (*string, span)) (*string, span) {
	if s != nil {
		return s, at
	}
	return look()
}

// atSeconds matches the beginning of nghttp's traces.
var atSeconds = regexp.MustCompile(`^\[ *\d+\.\d+\]`)

// traced reports whether a text is a trace of frames.
func (t text) traced() bool {
	return t.has(markRecv, markInbound) || atSeconds.MatchString(t.low) || t.has(markFrame) &&
		(strings.Contains(t.low, "goaway frame <") || strings.Contains(t.low, "goaway frame ("))
}

// ofGRPC matches a gRPC status, whose number is no HTTP/2 error code.
var ofGRPC = regexp.MustCompile(`\b(?:1 cancelled|4 deadline|8 resource|13 internal|14 unavailable)`)

// ofApplication matches gRPC statuses that applications give: a gRPC library gives Unavailable for its own
// connection (grpc/grpc doc/statuscodes.md). The failure is then of a connection behind the server.
var ofApplication = regexp.MustCompile(`code = (?:internal|unknown|aborted|failedprecondition|notfound|` +
	`invalidargument) desc = |` +
	`\b(?:13 internal|2 unknown): |statuscode\.(?:internal|unknown)\b`)

// accused matches words of an error whose code isn't read.
var accused = regexp.MustCompile(`protocol[_ ]?err|internal|compression|flow[_ -]?control|frame[_ -]?size|` +
	`settings[_ ]timeout|` +
	`calm|excess|invalid|violat|unexpected|illegal|malformed|` +
	`err(?:or)?(?:[_ ]?code)?["'\])]* ?[:=(]+ ?"?(?:0x0*)?[1-9a-f]`)

// gateway matches the answers of a proxy that didn't reach its server.
var gateway = regexp.MustCompile(`\b50[0234]\b`)

// forGood matches answers that come again: the address or the protocol is wrong.
var forGood = regexp.MustCompile(`content-type|\b4(?:0\d|1\d|64)\b`)

// requestLine matches a quoted request, whose version is not the other end's.
var requestLine = regexp.MustCompile(`"[a-z]{3,7} [^" ]+ http/[\d.]+"`)

// grpcNumber matches numbers that are gRPC or HTTP statuses; ofFrame the names of frames.
var (
	grpcNumber = regexp.MustCompile(`grpc error \(code|codename|grpc[_-]status|status code: ?\d|` +
		`"code": ?\d+, ?"(?:name|details|metadata)`)
	ofFrame = regexp.MustCompile(`rst_?stream|go_?away|stream reset|errorcode`)
)

// connecting matches what any failure of a client is wrapped in; inConnect what proves that it still
// connected.
var (
	connecting = regexp.MustCompile(`(?:unable|failed|cannot|could not|can't|couldn't|error trying) to connect`)
	inConnect  = regexp.MustCompile(`dial|tcp connect|connect\(|preface|handshak|tunnel|proxy|resolv|refused|` +
		`unreachable|subchannel|addresses`)
)

// wrapped reads the cause after "unable to connect: ": an end of data comes over a connection.
func (p *proofs) wrapped(t text) {
	if p.Event != onNeverConnected || !p.states(onClosed) {
		return
	}
	at := connecting.FindStringIndex(t.low)
	if at != nil && strings.Contains(t.low[at[1]:], "eof") && !inConnect.MatchString(t.low) {
		p.Event, p.rank, p.never = onClosed, weak, false
	}
}

package decode

import (
	"regexp"
	"strings"
)

// whileReading matches texts of a TLS connection that was already in use.
var whileReading = regexp.MustCompile(`ssl_?read|ssl_?write|receiv|recv|while reading|read failed|body`)

// badRecord matches alerts about the data of a connection that was already in use.
var badRecord = regexp.MustCompile(`bad.record.mac|decryption.failed`)

// ofTLS tells a failed handshake from a connection that failed in use.
func (p *proofs) ofTLS(t text) {
	p.inUse = p.Event == onTLSFailure && badRecord.MatchString(t.low)
	if p.Event == onTLSFailure && whileReading.MatchString(t.low) && !strings.Contains(t.low, "handshake") &&
		!strings.Contains(t.low, "certificate") && !strings.Contains(t.low, "verif") &&
		!strings.Contains(t.low, "record") {
		p.Event, p.rank, p.never = onClosed, weak, false
	}
	if p.Event == onViolation && p.never && p.states(onClosed) { // the connection ended before the preface
		p.Event = onNeverConnected
	}
}

// otherProtocol matches texts of an end that expects another protocol than the other speaks.
var otherProtocol = regexp.MustCompile(`first 5 bytes: (?:4854|1503|4745|3c68)|http/?1|http1|preface|` +
	`support http/?2|http/?2 is not supported|prior knowledge|` +
	`first record|looked like|magic|greeting|unsupported http version|alpn`)

// asciiLength matches lengths that are the letters of HTTP/1.1 or TLS: HTT, HTTP, GET, POS, <ht, and
// 0x15 0x03 of a TLS alert.
var asciiLength = regexp.MustCompile(`\b(?:4740180|1213486160|4670804|5263187|3958900|1347375956|` +
	`1195725856|0x485454|1414022479|` +
	`21536|20527|5459284|1370628|1376515)\b`)

// otherReason matches reasons of an end in order that are no limit.
var otherReason = regexp.MustCompile(`shutdown|shutting|\bstop\b|stopping|restart|reload|idle|max_age|` +
	`upgrade|deploy|draining`)

// ofPings matches texts that object to pings.
var ofPings = regexp.MustCompile(`\bpings?\b|_pings?\b|keepalive|keep-alive`)

// circumstances are what decides between the changes for one event.
func (p *proofs) circumstances(t text) {
	switch p.Event {
	case onLocalLimit:
		p.breaker = strings.Contains(t.low, "circuit") || strings.Contains(t.low, "overflow") ||
			strings.Contains(p.Flags, "UO")
	case onClosed:
		p.idle = strings.Contains(t.low, "idle")
	case onViolation:
		p.otherProtocol = p.rank == rankProtocol || otherProtocol.MatchString(t.low) || asciiLength.MatchString(t.low)
	}
	p.reason = otherReason.MatchString(t.low) && !strings.Contains(t.low, "graceful shutdown goaway") ||
		p.Code == "" && p.states(onViolation)
	p.pings = ofPings.MatchString(t.low)
}

func orElse(s *string, at span, look func() (*string, span)) (*string, span) {
	if s != nil {
		return s, at
	}
	return look()
}

package decode

import (
	"regexp"
	"strings"
)

// flagEvents are Envoy's response flags (docs: config/observability/access_log/usage).
var flagEvents = map[string]Event{
	"UH": onNeverConnected, "UF": onNeverConnected, "DF": onNeverConnected, "UO": onLocalLimit, "OM": onLocalLimit,
	"UC": onClosed, "UR": onRstStream, "LR": onRstStream, "UT": onTimedOut, "SI": onTimedOut,
	"DT": onTimedOut, "UMSDR": onTimedOut,
	"DC": onCancelled, "DPE": onViolation, "UPE": onViolation, "NR": onAnswered, "NC": onAnswered, "RL": onAnswered,
	"UAEX": onAnswered, "RLSE": onAnswered, "IH": onAnswered, "FI": onAnswered, "DI": onAnswered, "RFCF": onAnswered,
	"URX": onClosed, "LH": onNeverConnected,
}

// haproxyState matches an HAProxy log's termination state between its bytes and its counters
// (docs: configuration.txt, section 8.5).
var haproxyState = regexp.MustCompile(` ([A-Za-z-])([A-Za-z-])[A-Za-z-]{0,2} ` +
	`(?:(?:\d+/){4}\+?\d+ \d+/\d+|(?:\d+ ){4}\+?\d+ \d+ \d+)\b`)

// haproxyEvents are the events of its first two letters: who ended the session, and in which phase.
func haproxyEvent(who, phase byte) Event {
	switch {
	case who == '-':
		return ""
	case phase == 'C' && strings.IndexByte("SsRU", who) >= 0:
		return onNeverConnected
	case phase == 'Q' || who == 'R':
		return onLocalLimit
	}
	switch who {
	case 'C':
		return onCancelled
	case 'S', 'D', 'U', 'K':
		return onClosed
	case 'c', 's':
		return onTimedOut
	case 'I':
		return onViolation
	}
	return onAnswered // P and L: HAProxy answered by itself
}

// proxied reads what Envoy and HAProxy write into their access logs as letters.
func (t text) proxied(p *proofs) {
	if m := t.flags(); m != nil {
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			p.Flags = t.as[m[g]:m[g+1]]
			for _, flag := range strings.Split(p.Flags, ",") {
				if e, ok := flagEvents[flag]; ok && p.rank < rankFlag {
					p.sign = true
					p.event(e, rankFlag, span{m[g], m[g+1]})
				}
			}
		}
		return
	}
	if strings.Count(t.low, "/") < 7 && !strings.Contains(t.low, "haproxy") {
		return
	}
	if m := haproxyState.FindStringSubmatchIndex(t.as); m != nil {
		if e := haproxyEvent(t.as[m[2]], t.as[m[4]]); e != "" && p.rank < rankFlag {
			p.sign = true
			p.event(e, rankFlag, span{m[2], m[4] + 1})
			if strings.IndexByte("RQC", t.as[m[4]]) >= 0 { // before the request was sent to a server
				p.Unsent, p.at[aboutUnsent] = true, span{m[4], m[4] + 1}
			}
		}
	}
}

// flags finds Envoy's flags. Only texts with one of these words can have some.
func (t text) flags() []int {
	if strings.Contains(t.low, "http/") || strings.Contains(t.low, "_flags") || strings.Contains(t.low, "upstream_") {
		return envoyFlag.FindStringSubmatchIndex(t.as)
	}
	return nil
}

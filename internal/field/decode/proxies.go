package decode

import (
	"maps"
	"slices"
	"strings"
)

// flagEvents are Envoy's response flags (docs: config/observability/access_log/usage).
var flagEvents = map[string]Event{
	"UH": onNeverConnected, "UF": onNeverConnected, "DF": onNeverConnected, "UO": onLocalLimit, "OM": onLocalLimit,
	"UC": onClosed, "UR": onRstStream, "LR": onRstStream, "UT": onTimedOut, "SI": onTimedOut,
	"DT": onTimedOut, "UMSDR": onTimedOut,
	"DC": onCancelled, "DPE": onViolation, "UPE": onViolation, "NR": onAnswered, "NC": onAnswered, "RL": onAnswered,
	"UAEX": onAnswered, "RLSE": onAnswered, "IH": onAnswered, "FI": onAnswered, "DI": onAnswered, "RFCF": onAnswered,
	"URX": onClosed, "LH": onNeverConnected, "DR": onCancelled, "NFCF": onAnswered,
}

// bareFlag matches flags beside a status at the beginning of a text, namedFlag those after the name of their
// field, columnFlag those in the column after a status: in TCP logs the request is "- - -" or absent.
var bareFlag, namedFlag, columnFlag = lazily(`^\W{0,2}(?:0|[2-5]\d\d) "?` + flagList),
	lazily(`(?i:response[ _-]?flags?|envoy[ _-]?flags?|\bflags?|\brf)["']?` +
		`(?: is| was| of|[:=])? ?["'(\[]?` + flagList),
	lazily(`(?:["\]|] ?|[\w.-]+\|)(?:0|[1-5]\d\d)[ |,;"]{1,3}` + flagList)

var flagList = func() string {
	flags := strings.Join(slices.Sorted(maps.Keys(flagEvents)), "|")
	return `((?:` + flags + `)(?:,(?:` + flags + `))*)(?:[ ,;"')\]}|]|$)`
}()

// haproxyState matches an HAProxy log's termination state between its bytes and its counters
// (docs: configuration.txt, section 8.5).
var haproxyState = lazily(` ([A-Za-z-])([A-Za-z-])[A-Za-z-]{0,2} ` +
	`(?:(?:\d+/){4}\+?\d+ \d+/\d+|(?:\d+ ){4}\+?\d+ \d+ \d+)\b`)

// haproxyField matches the state in a log of another format.
var haproxyField = lazily(`(?:term(?:ination)?_state|\bts)["']?[:=] ?["']?([A-Za-z-])([A-Za-z-])` +
	`[A-Za-z-]{0,2}\b| \[([CSPLRIDUKcs])([RQCHDTL])[A-Za-z-]{0,2}\] "`)

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
	case 'I': // its own self-check failed
		return onServerLine
	case 'P':
		if phase == 'H' { // HAProxy rejected the server's answer as invalid
			return onViolation
		}
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
	named := t.has(markHAProxy, markState)
	if strings.Count(t.low, "/") < 7 && !named {
		return
	}
	m := haproxyState().FindStringSubmatchIndex(t.as)
	if m == nil && named {
		if m = haproxyField().FindStringSubmatchIndex(t.as); m != nil && m[2] < 0 {
			m = append(m[:2], m[6:]...)
		}
	}
	if m != nil {
		if e := haproxyEvent(t.as[m[2]], t.as[m[4]]); e != "" && p.rank < rankFlag {
			p.sign = true
			p.event(e, rankFlag, span{m[2], m[4] + 1})
			if strings.IndexByte("RQC", t.as[m[4]]) >= 0 { // before the request was sent to a server
				p.Unsent, p.at[aboutUnsent] = true, span{m[4], m[4] + 1}
			}
		}
	}
}

// flagsEnd is where flags at the beginning of a text end at the latest.
const flagsEnd = 32

// flags finds Envoy's flags. Only texts with one of these words can have some.
func (t text) flags() []int {
	if t.has(markHTTP, markFlags, markUpstream) {
		if m := envoyFlag().FindStringSubmatchIndex(t.as); m != nil {
			return m
		}
	}
	if m := bareFlag().FindStringSubmatchIndex(t.as[:min(len(t.as), flagsEnd)]); m != nil {
		return m
	}
	if t.has(markFlag, markRF) {
		if m := namedFlag().FindStringSubmatchIndex(t.as); m != nil {
			return m
		}
	}
	if t.has(markDash, markEnvoy, markBound, markUpstream) {
		return columnFlag().FindStringSubmatchIndex(t.as)
	}
	return nil
}

package decode

import "sync"

// mark is a word without which a slower search finds nothing. One pass over a text finds all marks.
type mark uint

const (
	markAt mark = iota
	markTLS
	markVerify
	markBrace
	markSettings
	markConcurrent
	markTimeout
	markDeadline
	markRequest
	markHTTP
	markStatus
	markResponse
	markChannel
	markInner
	markFrame
	markRecv
	markInbound
	markHAProxy
	markState
	markFlags
	markUpstream
	markFlag
	markStream
	markRF
	markDash
	markEnvoy
	markBound
	markTimeouts
	markDuration
	markHash
	markResolve
)

var markWords = []string{
	markAt: " at ", markTLS: "), tls ", markVerify: "certificate verif", markBrace: "} ", markSettings: "settings",
	markConcurrent: "concurrent", markTimeout: "timeout=", markDeadline: "grpc-timeout", markRequest: " http/",
	markHTTP: "http/", markStatus: "status", markResponse: "response", markChannel: "[id:", markInner: ofThisSide,
	markFrame: "goaway frame ", markRecv: "recv goaway", markInbound: "inbound go_away", markHAProxy: "haproxy",
	markState: "termination_state", markFlags: "_flags", markUpstream: "upstream_", markFlag: "flag",
	markStream: "stream", markRF: "rf=", markDash: `"- - -"`, markEnvoy: "envoy", markBound: "bound|",
	markTimeouts: "timeout", markDuration: "duration", markHash: "#",
	markResolve: "resolve",
}

var markScan = sync.OnceValue(func() *scanner { return newScanner(markWords) })

// marksIn are the marks in a text in lower case, one bit each.
func marksIn(low string) uint64 {
	var found [1]uint64
	scan(markScan(), low, found[:])
	return found[0]
}

// has reports whether a text has one of the marks.
func (t text) has(marks ...mark) bool {
	for _, m := range marks {
		if t.marks&(1<<m) != 0 {
			return true
		}
	}
	return false
}

package decode

import (
	"cmp"
	"slices"
	"strings"

	"h2lab/internal/field/cure"
)

// Class is what a change is about. A kind allows some classes; changes of the others are dropped.
type Class string

// The classes.
const (
	RequestLimit      Class = "request-limit"
	Age               Class = "age"
	IdleTimeout       Class = "idle-timeout"
	PingInterval      Class = "ping-interval"
	ResetOrPingRate   Class = "reset-or-ping-rate"
	ReportBug         Class = "report-bug"
	CircuitBreaker    Class = "circuit-breaker"
	TLS               Class = "tls"
	Connect           Class = "connect"
	Timeout           Class = "timeout"
	RetryInClient     Class = "retry-in-client"
	ClientRenewal     Class = "client-renewal"
	ConcurrentStreams Class = "concurrent-streams"
	Protocol          Class = "protocol"
	Upstream          Class = "upstream"
	Upgrade           Class = "upgrade" // a version that mends it
	HTTP1             Class = "http1"   // HTTP/1.1 instead of HTTP/2
)

// renewals are the changes that fit a connection that ended in order.
var renewals = []Class{RequestLimit, Age, IdleTimeout, RetryInClient, ClientRenewal, Upgrade, HTTP1}

// Change is a line to change, and its place.
type Change struct {
	Class Class `json:"class"`
	cure.Change
	// Row is the row of docs/clients.md that measured the change, or "". Outcome is the result
	// there: cured (if a data file says nothing), partly or cant-be-told.
	Row     string `json:"row"`
	Outcome string `json:"outcome"`
}

// The outcomes of a change, as the recorded run names them.
const (
	cured     = "cured"
	partly    = "partly"
	undecided = "cant-be-told"
)

// changes are those of the kind and of the signature that fit what the text proves.
func changes(k Kind, p proofs, s *Signature) []Change {
	law := rules[k]
	out := []Change{}
	if p.behind || k == Ended && p.Direction == sent && p.orderly(s) {
		return out
	}
	if law.offers != nil {
		out = append(out, law.offers(p)...)
	}
	if s != nil {
		out = append(out, s.changes...)
	}
	rarer := slices.ContainsFunc(out, func(c Change) bool {
		return c.Class != RetryInClient && slices.Contains(renewals, c.Class)
	})
	if rarer && !slices.ContainsFunc(out, func(c Change) bool { return c.Class == RetryInClient }) {
		out = append(out, retryChanges()...)
	}
	again := p.Code == "" || p.Code == "NO_ERROR" || p.Code == "CANCEL" || p.Code == "REFUSED_STREAM"
	out = slices.DeleteFunc(out, func(c Change) bool {
		return !slices.Contains(law.allows, c.Class) || c.Class == RetryInClient && !again
	})
	for i, c := range out {
		if c.Row != "" {
			out[i].Outcome = cmp.Or(c.Outcome, cured)
		}
	}
	return out
}

func ofCure(class Class, list []cure.Change) (out []Change) {
	for _, c := range list {
		out = append(out, Change{Class: class, Change: c})
	}
	return out
}

// endedBy is which setting of a server ends connections in order with this debug data.
var endedBy = map[string]Class{
	"max_age": Age, "max_idle": IdleTimeout, "idle_timeout": IdleTimeout, "session timed out": IdleTimeout,
	"timeout": IdleTimeout, "graceful_stop": Upgrade, "app_requested": Upgrade, "graceful shutdown": "",
}

// limitChanges are the changes on the side that ends connections in order: by the debug data where
// it says why, else by the last stream id. Only an id that is a round number of requests is a limit's.
func limitChanges(p proofs) []Change {
	if p.Direction == sent && p.Speaker != "server" || p.Speaker == "server" && p.Direction == received {
		return nil // a client ended it
	}
	if p.Code != "" && p.Code != "NO_ERROR" && p.Code != "REFUSED_STREAM" {
		return nil
	}
	if p.unfit {
		return tlsChanges(p)
	}
	if p.xds {
		return ofCure(Age, grpcOnly(cure.Age(cure.Go)))
	}
	if p.Debug != nil {
		switch endedBy[*p.Debug] {
		case Age:
			return ofCure(Age, grpcOnly(cure.Age(cure.Go)))
		case IdleTimeout:
			return ofCure(IdleTimeout, cure.Idle(cure.Nginx))
		}
		if *p.Debug != "" {
			return nil
		}
	}
	if p.reason || p.Code == "" && p.accused {
		return nil
	}
	if id := p.LastStreamID; id != nil {
		if p.Requests == nil {
			return nil
		}
		if _, round := requests(*id); !round && *p.Requests != 1 {
			return nil
		}
	} else if p.Event != onGoaway || p.Speaker == "server" || p.codeless() {
		return nil // neither a code nor an id: it may have been an error
	}
	met := 0
	if p.Requests != nil {
		met = int(*p.Requests)
	}
	if met == 1 {
		return ofCure(IdleTimeout, cure.Idle(cure.Nginx))
	}
	limit := ofCure(RequestLimit, cure.RequestLimit(cure.Nginx, met, false)[:2])
	if p.LastStreamID == nil { // nothing tells a count from an age
		limit = append(limit, ofCure(Age, cure.Age(cure.Nginx))...)
	}
	return limit
}

// grpcOnly are the changes for gRPC servers: only they write max_age.
func grpcOnly(list []cure.Change) (out []cure.Change) {
	for _, c := range list {
		if strings.Contains(c.For, "gRPC") {
			out = append(out, c)
		}
	}
	return out
}

func calmChanges(p proofs) []Change {
	if p.pings {
		return ofCure(PingInterval, cure.Pings())
	}
	return ofCure(ResetOrPingRate, cure.Resets())
}

// advice is a change that no server's configuration holds.
func advice(class Class, of, where, line, why string) []Change {
	return []Change{{Class: class, Change: cure.Change{For: of, Where: where, Line: line, Why: why}}}
}

// bugChanges say how to collect what a report needs.
func bugChanges(p proofs) []Change {
	switch {
	case p.Code == "HTTP_1_1_REQUIRED" || p.otherProtocol:
		return protocolChanges(p)
	case p.Event == onRstStream && (p.Code == "" || p.Code == "NO_ERROR"):
		return nil // nothing says whose fault it is
	case p.Event == onRstStream && p.Direction == sent:
		return nil // the writer knows its own reason
	}
	return advice(ReportBug, "the side that sent the error",
		"a report to its project, with the frames of a connection's end", "h2lab trace "+hostOf(p),
		"an error code is no limit: the frame that caused it decides whose defect it is")
}

// violationChanges are for what one side doesn't accept: where no code says what it was, it may be another
// protocol.
func violationChanges(p proofs) []Change {
	out := bugChanges(p)
	other := p.Code == "" || p.Code == "PROTOCOL_ERROR" || p.Code == "FRAME_SIZE_ERROR"
	if len(out) > 0 && out[0].Class == ReportBug && other {
		out = append(out, protocolChanges(p)...)
	}
	return out
}

// resetChanges are for one stream's error, which is mostly that of the server or of one behind it.
func resetChanges(p proofs) []Change {
	bug := bugChanges(p)
	if len(bug) > 0 && bug[0].Class == ReportBug {
		return append(upstreamChanges(p), bug...)
	}
	return bug
}

func upstreamChanges(p proofs) []Change {
	return advice(Upstream, "the server", "its log at the time of the error, and that of a server behind it",
		"curl -v --http2 "+hostOf(p),
		"shows whether one request alone fails too: then its handler or a proxy's limit ended it")
}

// streamChanges are for servers that refuse streams beyond their limit at once. For streams above a
// GOAWAY's last id they don't fit.
func streamChanges(p proofs) []Change {
	if p.LastStreamID != nil || p.Frame == "GOAWAY" {
		return nil
	}
	return ofCure(ConcurrentStreams, cure.Streams())
}

func timeoutChanges(p proofs) []Change {
	return advice(Timeout, "the client", "its deadline", "curl -v --max-time 60 "+hostOf(p),
		"shows how long the server takes; a deadline shorter than that ends every call")
}

// retryChanges complete changes that make a loss rarer and don't exclude it.
func retryChanges() []Change {
	return advice(RetryInClient, "the client", "around the call", "send it again, once, on a new connection",
		"only if it was certainly not executed or is idempotent: a connection can end at any time")
}

func protocolChanges(p proofs) []Change {
	return advice(Protocol, "client or server", "the address, the port and the protocol of the client",
		"curl -v --http2 "+hostOf(p),
		"one side may speak HTTP/2 where the other expects HTTP/1.1 or TLS: the line shows what ALPN agrees on")
}

func hostOf(p proofs) string {
	if p.Origin != nil {
		return *p.Origin + "/"
	}
	return "https://HOST/"
}

func idleChanges(p proofs) []Change {
	if !p.idle {
		return nil
	}
	return ofCure(IdleTimeout, cure.Idle(cure.Nginx))
}

func connectChanges(p proofs) []Change {
	return advice(Connect, "the client or the proxy", "its address and port of the server", "curl -v "+hostOf(p),
		"shows whether the name resolves, the port is open and the server listens")
}

func tlsChanges(p proofs) []Change {
	return advice(TLS, "the client or the server", "certificates, TLS versions and ALPN", "curl -v "+hostOf(p),
		"shows the versions, the certificate and the protocol that ALPN agreed on")
}

func overloadChanges(p proofs) []Change {
	if p.breaker {
		return ofCure(CircuitBreaker, cure.CircuitBreaker())
	}
	return nil
}

package decode

import (
	"cmp"
	"h2lab/internal/facts"
	"slices"
	"strings"

	"h2lab/internal/field/cure"
)

// What to change follows from the kind, the code, the direction and the ids.

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
	// For is the product, Where the place in its configuration, Line the text to paste there.
	For   Words `json:"for"`
	Where Words `json:"where"`
	Line  Words `json:"line"`
	Why   Words `json:"why"`
	// Row is the row of docs/clients.md that measured the change, or "". Outcome is the result
	// there: cured (if a data file says nothing), partly or cant-be-told.
	Row     string `json:"row"`
	Outcome string `json:"outcome"`
}

// cured is the outcome of a change, as the recorded run names it; the others are partly and cant-be-told.
const cured = "cured"

// changes are those of the kind and of the signature that fit what the text proves.
func (f *Finding) changes(c circumstances) []Change {
	law, out := rules()[f.Kind], []Change{}
	if c.behind || f.Kind == Ended && f.orderly() {
		return out
	}
	if offers[law.Offers] != nil {
		out = append(out, offers[law.Offers](f, c)...)
	}
	if f.Signature != nil {
		out = append(out, f.Signature.changes...)
	}
	retries := func(c Change) bool { return c.Class == RetryInClient }
	rarer := slices.ContainsFunc(out, func(c Change) bool { return !retries(c) && slices.Contains(renewals, c.Class) })
	if rarer && !slices.ContainsFunc(out, retries) { // changes that make a loss rarer don't exclude it
		out = append(out, f.advice(RetryInClient, "again", "")...)
	}
	again := slices.Contains([]string{"", "NO_ERROR", "CANCEL", "REFUSED_STREAM"}, f.Code)
	out = slices.DeleteFunc(out, func(c Change) bool { return !slices.Contains(law.Allows, c.Class) || retries(c) && !again })
	for i, c := range out {
		if c.Row != "" {
			out[i].Outcome = cmp.Or(c.Outcome, cured)
		}
	}
	return out
}

// offers are the changes on the side that causes a kind, by their name in data/kinds.toml.
var offers = map[string]func(*Finding, circumstances) []Change{
	"limit": (*Finding).limitChanges,
	"bug":   (*Finding).bugChanges,
	// What one side doesn't accept may be another protocol, where no code says what it was.
	"violation": func(f *Finding, c circumstances) []Change {
		out := f.bugChanges(c)
		if len(out) > 0 && out[0].Class == ReportBug && slices.Contains([]string{"", "PROTOCOL_ERROR", "FRAME_SIZE_ERROR"}, f.Code) {
			out = append(out, f.advice(Protocol, "protocol", "curl -v --http2 HOST")...)
		}
		return out
	},
	// One stream's error is mostly that of the server or of one behind it.
	"reset": func(f *Finding, c circumstances) []Change {
		bug := f.bugChanges(c)
		if len(bug) > 0 && bug[0].Class == ReportBug {
			return append(f.advice(Upstream, "upstream", "curl -v --http2 HOST"), bug...)
		}
		return bug
	},
	"calm": func(_ *Finding, c circumstances) []Change {
		if c.pings {
			return ofCure(PingInterval, cure.Of("pings"))
		}
		return ofCure(ResetOrPingRate, cure.Of("resets"))
	},
	// For streams above a GOAWAY's last id the limit on streams at once doesn't fit.
	"stream": func(f *Finding, _ circumstances) []Change {
		if f.LastStreamID != nil || f.Frame == "GOAWAY" {
			return nil
		}
		return ofCure(ConcurrentStreams, cure.Of("streams"))
	},
	"timeout": func(f *Finding, _ circumstances) []Change {
		return f.advice(Timeout, "timeout", "curl -v --max-time 60 HOST")
	},
	"connect": func(f *Finding, _ circumstances) []Change { return f.advice(Connect, "connect", "curl -v HOST") },
	"tls":     func(f *Finding, _ circumstances) []Change { return f.advice(TLS, "tls", "curl -v HOST") },
	"idle": func(_ *Finding, c circumstances) []Change {
		if !c.idle {
			return nil
		}
		return ofCure(IdleTimeout, cure.Idle(cure.Nginx))
	},
	"overload": func(_ *Finding, c circumstances) []Change {
		if !c.breaker {
			return nil
		}
		return ofCure(CircuitBreaker, cure.Of("circuit-breaker"))
	},
}

func ofCure(class Class, list []cure.Change) (out []Change) {
	for _, c := range list {
		out = append(out, Change{Class: class, For: Words{facts.Text(c.For)}, Where: Words{facts.Text(c.Where)},
			Line: Words{facts.Text(c.Line)}, Why: Words{facts.Text(c.Why)}})
	}
	return out
}

// advice is a change that no server's configuration holds; HOST in its line is the host that the text names.
func (f *Finding) advice(class Class, name, line string) []Change {
	a, host := theNames().Advice[name], "https://HOST/"
	if f.Origin != nil {
		host = *f.Origin + "/"
	}
	if line != "" {
		a.Line = verbatim(strings.Replace(line, "HOST", host, 1))
	}
	return []Change{{Class: class, For: a.For, Where: a.Where, Line: a.Line, Why: a.Why}}
}

// bugChanges say how to collect what a report needs.
func (f *Finding) bugChanges(c circumstances) []Change {
	switch {
	case f.Code == "HTTP_1_1_REQUIRED" || c.otherProtocol:
		return f.advice(Protocol, "protocol", "curl -v --http2 HOST")
	case f.Event == onRstStream && (f.Code == "" || f.Code == "NO_ERROR" || f.Direction == sent):
		return nil // nothing says whose fault it is, or the writer knows its own reason
	}
	return f.advice(ReportBug, "report", "h2lab trace HOST")
}

// limitChanges are the changes on the side that ends connections in order: by the debug data where
// it says why, else by the last stream id. Only an id that is a round number of requests is a limit's.
func (f *Finding) limitChanges(c circumstances) []Change {
	switch {
	case f.byClient() || f.Speaker == "server" && f.Direction == received: // a client ended it
		return nil
	case f.Code != "" && f.Code != "NO_ERROR" && f.Code != "REFUSED_STREAM":
		return nil
	case c.unfit:
		return f.advice(TLS, "tls", "curl -v HOST")
	case c.xds:
		return ofCure(Age, cure.Age(cure.GRPCGo))
	}
	if f.Debug != nil {
		switch theNames().Debug[*f.Debug].Class {
		case Age:
			return ofCure(Age, cure.Age(cure.GRPCGo))
		case IdleTimeout:
			return ofCure(IdleTimeout, cure.Idle(cure.Nginx))
		}
		if *f.Debug != "" {
			return nil
		}
	}
	if c.reason || f.Code == "" && c.accused {
		return nil
	}
	met := 0
	switch id := f.LastStreamID; {
	case id != nil && f.Requests == nil:
		return nil
	case id != nil:
		met = int(*f.Requests)
		if _, round := requests(*id); !round && met != 1 {
			return nil
		}
	case f.Event != onGoaway || f.Speaker == "server" || f.codeless():
		return nil // neither a code nor an id: it may have been an error
	}
	if met == 1 {
		return ofCure(IdleTimeout, cure.Idle(cure.Nginx))
	}
	limit := ofCure(RequestLimit, cure.RequestLimit(cure.Nginx, met, false)[:2])
	if f.LastStreamID == nil { // nothing tells a count from an age
		limit = append(limit, ofCure(Age, cure.Age(cure.Nginx))...)
	}
	return limit
}

package lint

import (
	"cmp"
	"fmt"
	"slices"
)

// The kinds of configuration, as --kind takes them.
const (
	Nginx   = "nginx"
	Envoy   = "envoy"
	HAProxy = "haproxy"
	Traefik = "traefik"
	Ingress = "ingress-nginx"
)

// Kinds are all of them, in the order they are offered.
var Kinds = []string{Nginx, Envoy, HAProxy, Traefik, Ingress}

// Severity is how bad a finding is. The words are SARIF's levels.
type Severity string

// An error loses requests or makes the server refuse the file; a warning costs
// connections; a note is something to know. An error ends lint with status 4.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// File is one file of a configuration. Name is what findings and errors call
// it: the path as the user gave it, or `-` for standard input.
type File struct {
	Name string
	Data []byte
}

// Options are what the files themselves don't say.
type Options struct {
	// Version of the server, such as "1.22.1"; "" when not known.
	Version string
	// InFlight is how many requests a client has in flight on one connection;
	// 0 is taken as DefaultInFlight.
	InFlight int
}

// DefaultInFlight is what most servers allow at once on one connection: nginx's
// http2_max_concurrent_streams is 128, RFC 9113 section 6.5.2 asks for 100.
const DefaultInFlight = 100

// Streams is InFlight, or what stands for it.
func (o Options) Streams() int {
	if o.InFlight > 0 {
		return o.InFlight
	}
	return DefaultInFlight
}

// Rule is one thing that is looked for. ID is kind, slash, words: "nginx/limit-low".
// Help says in two or three sentences what goes wrong and what to change;
// Docs is a URL, an RFC section or a place in a source.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"` // the usual one; a finding may be milder
	Title    string   `json:"title"`
	Help     string   `json:"help"`
	Docs     string   `json:"docs"`
}

// Finding is a rule that applies at a place.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1; 0 when it concerns the whole file
	Column   int      `json:"column"` // from 1; 0 when not known
	Title    string   `json:"title"`
	Why      string   `json:"why"`
	// Found is the text that stands there, on one line; "" when the fix only adds.
	Found string `json:"found"`
	// Fix is the text to paste instead of Found; several lines are allowed. One
	// that begins with Found adds the lines after it, into the block when Found
	// opens one.
	// "" with a Found: take the line out. "" without one: nothing to paste.
	Fix  string `json:"fix"`
	Docs string `json:"docs"`
}

// New is a finding of rule r with the rule's own severity, title and source.
func (r Rule) New(file string, line int, why string) Finding {
	return Finding{Rule: r.ID, Severity: r.Severity, File: file, Line: line, Title: r.Title, Why: why, Docs: r.Docs}
}

// Limit is a number of requests. Requests is nil when there is no limit
// (Unlimited) and when it can't be known (not Unlimited).
type Limit struct {
	Requests  *int64 `json:"requests"`
	Unlimited bool   `json:"unlimited"`
	// From says why: "set at nginx.conf:12", "default since 1.19.10".
	From string `json:"from"`
}

// Time is a duration in seconds, with the same three cases as Limit.
type Time struct {
	Seconds *float64 `json:"seconds"`
	Never   bool     `json:"never"`
	From    string   `json:"from"`
}

// Requests is a limit of n.
func Requests(n int64, from string) Limit { return Limit{Requests: &n, From: from} }

// NoLimit is the absence of a limit.
func NoLimit(from string) Limit { return Limit{Unlimited: true, From: from} }

// UnknownLimit is a limit that the files don't tell.
func UnknownLimit(why string) Limit { return Limit{From: why} }

// Seconds is a duration of s.
func Seconds(s float64, from string) Time { return Time{Seconds: &s, From: from} }

// Never is the absence of a timeout.
func Never(from string) Time { return Time{Never: true, From: from} }

// UnknownTime is a duration that the files don't tell.
func UnknownTime(why string) Time { return Time{From: why} }

// SetAt is the usual From of something that stands in a file.
func SetAt(file string, line int) string { return fmt.Sprintf("set at %s:%d", file, line) }

// Listener is one place where connections come in, with what ends their life.
type Listener struct {
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Name      string   `json:"name"`      // server_name, listener name, frontend, entry point, Ingress
	Address   string   `json:"address"`   // "0.0.0.0:443", "unix:/run/x.sock", ":443"
	TLS       bool     `json:"tls"`       // it terminates TLS
	Protocols []string `json:"protocols"` // "http/1.1", "h2", "h2c", "h3"
	Default   bool     `json:"default"`   // clients without a matching name land here
	Limit     Limit    `json:"limit"`     // requests on one connection
	Idle      Time     `json:"idle"`      // a connection without a request is closed after
	Age       Time     `json:"age"`       // a connection is closed after, whatever it does
	Streams   Limit    `json:"streams"`   // requests in flight on one connection
	// Upstream is a second hop's own limits in words, "" when there is nothing to say.
	Upstream string `json:"upstream"`
}

// Speaks reports that connections of the listener may use protocol.
func (l Listener) Speaks(protocol string) bool { return slices.Contains(l.Protocols, protocol) }

// Report is what Lint makes of a configuration.
type Report struct {
	Kind    string `json:"kind"`
	Version string `json:"version"` // "" when not known
	// Files are the names of every file that was read, in the order of reading.
	Files     []string   `json:"files"`
	Listeners []Listener `json:"listeners"`
	Findings  []Finding  `json:"findings"`
	// Assumed are whole sentences: "nginx 1.31.4 is assumed: give --version".
	Assumed []string `json:"assumed"`
	// Order are ids of rules, what to mend first before what can wait; nil when
	// the order of the files is as good.
	Order []string `json:"-"`
}

// HasError reports a finding that ends lint with status 4.
func (r Report) HasError() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// Sort brings findings into the order of the files they are in, then of lines,
// and takes out those that were found twice at one place.
func (r *Report) Sort() {
	at := map[string]int{}
	for i, f := range r.Files {
		at[f] = i
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(at[a.File], at[b.File]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Why, b.Why))
	})
	r.Findings = slices.Compact(r.Findings)
}

// SyntaxError is a file that its server would not read either. Line is 0 when
// the whole file is meant.
type SyntaxError struct {
	File string
	Line int
	What string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.What)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

// MostBytes bounds one file, and all files of one configuration together: a
// file above it is no configuration that anyone wrote.
const MostBytes = 16 << 20

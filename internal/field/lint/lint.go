// Package lint holds the types of `h2lab lint` and prints its reports: which
// settings of a configuration end HTTP/2 connections, listener by listener, and
// which of them are wrong. Each kind of server has a package below this one that
// reads the server's files and fills a Report. No package uses the network.
//
// The package of a kind exports a Kind. Rules.New(ID, file, line, why…) makes a finding. Its reasons, where a value comes
// from, and what is assumed are texts of the catalogue (facts.T); JSON and SARIF show their English words.
package lint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/texts"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
)

// The kinds of configuration that --kind accepts.
const (
	Nginx   = "nginx"
	Envoy   = "envoy"
	HAProxy = "haproxy"
	Traefik = "traefik"
	Ingress = "ingress-nginx"
)

// Kinds lists all kinds in the order that messages show them.
var Kinds = []string{Nginx, Envoy, HAProxy, Traefik, Ingress}

// Kind is one server whose configuration can be linted.
type Kind struct {
	Name   string
	Single bool // Lint takes one file, which includes the others itself
	Looks  func(File) bool
	Lint   func([]File, Options) (Report, error)
	Rules  Rules // its rules.toml: [[rule]] with id, severity, title, zh (the title in Chinese), help, docs
}

// Severity is how bad a finding is. Its values are the levels of SARIF.
type Severity string

// An Error loses requests or makes the server reject the file; a Warning wastes connections; a Note is
// information. Any Error makes lint exit with status 4.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// File is one file of a configuration. Findings and errors refer to it as Name: the path as the user
// gave it, or `-` for standard input.
type File = nginxfile.File

// SyntaxError is about a file that its server would reject too. Line is 0 when the error is about the
// whole file.
type SyntaxError = nginxfile.Error

// MostBytes bounds one file, and the sum of all files of one configuration. Real configurations are
// far smaller.
const MostBytes = nginxfile.MostBytes

// Refuse is a SyntaxError.
func Refuse(file string, line int, format string, args ...any) error {
	return &SyntaxError{File: file, Line: line, What: fmt.Sprintf(format, args...)}
}

// Options is what the user states because the files don't contain it.
type Options struct {
	// Version of the server, such as "1.22.1"; "" when unknown.
	Version string
	// InFlight is how many requests a client has in flight on one connection; 0 means DefaultInFlight.
	InFlight int
}

// DefaultInFlight is close to what most servers allow on one connection: nginx's
// http2_max_concurrent_streams is 128, and RFC 9113 section 6.5.2 recommends at least 100.
const DefaultInFlight = 100

// Streams is InFlight, or DefaultInFlight when it is 0.
func (o Options) Streams() int {
	if o.InFlight > 0 {
		return o.InFlight
	}
	return DefaultInFlight
}

// Rule describes one check. ID is the kind, a slash and a name: "nginx/limit-low". Help says in two or
// three sentences what goes wrong and what to change. Docs is a URL, an RFC section or a place in a
// server's source.
type Rule struct {
	ID       string
	Severity Severity // the usual severity; a finding may be milder
	Title    string
	Zh       string // the title in Chinese
	Help     string
	Docs     string
}

// Rules are the rules of one kind: the entries [[rule]] of its rules.toml, in their order. The file is read when a
// rule is first needed.
type Rules func() []Rule

// RulesIn are the rules of a file.
func RulesIn(file string) Rules {
	return sync.OnceValue(func() []Rule {
		var f struct{ Rule []Rule }
		if err := toml.Unmarshal([]byte(file), &f); err != nil {
			panic(err) // the file is embedded, and tests read it
		}
		return f.Rule
	})
}

// New returns a finding of the rule with this id.
func (r Rules) New(id, file string, line int, why ...facts.Text) Finding {
	all := r()
	at := slices.IndexFunc(all, func(one Rule) bool { return one.ID == id })
	return all[at].New(file, line, why...)
}

// Finding is a violation of a rule at one place.
type Finding struct {
	Rule     string         `json:"rule"`
	Severity Severity       `json:"severity"`
	File     string         `json:"file"`
	Line     int            `json:"line"`   // from 1; 0 when it is about the whole file
	Column   int            `json:"column"` // from 1; 0 when unknown
	Title    string         `json:"title"`
	Zh       string         `json:"-"` // the title in Chinese
	Why      texts.Sentence `json:"why"`
	// Found is the text of the file at that place, on one line; "" when the fix only adds lines.
	Found string `json:"found"`
	// Fix is the text to paste instead of Found, in one line or several. A Fix that begins with Found
	// adds lines after it, inside the block when Found opens one. With a Found, an empty Fix means:
	// delete the line. Without a Found, an empty Fix means that there is nothing to paste.
	Fix  string `json:"fix"`
	Docs string `json:"docs"`
	// Also names the other places with the same fault and the same fix.
	Also []Place `json:"also,omitempty"`
	// Ahead says that the finding costs more connections than others of its severity.
	Ahead bool `json:"-"`
	// Edits are the fix as changes of files, for --fix. Without them the fix is for the reader alone.
	Edits []Edit `json:"-"`
}

// New returns a finding of rule r with the rule's own severity, title and source. why are whole sentences.
func (r Rule) New(file string, line int, why ...facts.Text) Finding {
	f := Finding{Rule: r.ID, Severity: r.Severity, File: file, Line: line, Title: r.Title, Zh: r.Zh, Docs: r.Docs}
	for _, sentence := range why {
		f.Add(sentence)
	}
	return f
}

// Add appends a sentence to the reason.
func (f *Finding) Add(sentence facts.Text) {
	if why := facts.Text(f.Why); !why.IsZero() {
		sentence = facts.Join("join.sentences", why, sentence)
	}
	f.Why = texts.Sentence(sentence)
}

// Limit is a number of requests. Requests is nil when there is no limit (Unlimited is true) and when
// the limit is unknown (Unlimited is false).
type Limit struct {
	Requests  *int64 `json:"requests"`
	Unlimited bool   `json:"unlimited"`
	// From says where the value comes from: "set at nginx.conf:12", "default since 1.19.10".
	From texts.Sentence `json:"from"`
}

// Time is a duration in seconds, with the same three cases as Limit.
type Time struct {
	Seconds *float64       `json:"seconds"`
	Never   bool           `json:"never"`
	From    texts.Sentence `json:"from"`
}

// Requests returns a limit of n requests.
func Requests(n int64, from facts.Text) Limit { return Limit{Requests: &n, From: texts.Sentence(from)} }

// NoLimit returns the absence of a limit.
func NoLimit(from facts.Text) Limit { return Limit{Unlimited: true, From: texts.Sentence(from)} }

// UnknownLimit returns a limit that can't be known from the files.
func UnknownLimit(why facts.Text) Limit { return Limit{From: texts.Sentence(why)} }

// Seconds returns a duration of s seconds.
func Seconds(s float64, from facts.Text) Time { return Time{Seconds: &s, From: texts.Sentence(from)} }

// Never returns the absence of a timeout.
func Never(from facts.Text) Time { return Time{Never: true, From: texts.Sentence(from)} }

// UnknownTime returns a duration that can't be known from the files.
func UnknownTime(why facts.Text) Time { return Time{From: texts.Sentence(why)} }

// SetAt is the usual From of a value that a file sets.
func SetAt(file string, line int) facts.Text { return facts.T("lint.set-at", file, line) }

// Listener is one place that accepts connections, with the settings that end them.
type Listener struct {
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Name      string   `json:"name"`      // server_name, listener name, frontend, entry point, Ingress
	Address   string   `json:"address"`   // "0.0.0.0:443", "unix:/run/x.sock", ":443"
	TLS       bool     `json:"tls"`       // whether it terminates TLS
	Protocols []string `json:"protocols"` // "http/1.1", "h2", "h2c", "h3"
	Default   bool     `json:"default"`   // whether it serves clients that ask for no configured name
	Limit     Limit    `json:"limit"`     // requests on one connection
	Idle      Time     `json:"idle"`      // how long a connection may be idle before it is closed
	Age       Time     `json:"age"`       // how long a connection may live, even in use
	Streams   Limit    `json:"streams"`   // requests in flight on one connection
	// Upstream describes the limits of the connections to the upstream; "" when there are none to
	// report.
	Upstream texts.Sentence `json:"upstream"`
	// Host is a host name that clients use for the listener; "" when the files contain none.
	Host string `json:"-"`
}

// Speaks reports whether connections of the listener may use protocol.
func (l Listener) Speaks(protocol string) bool { return slices.Contains(l.Protocols, protocol) }

// HTTP2 reports whether there is HTTP/2 among the protocols, over TLS or in cleartext.
func HTTP2(protocols []string) bool {
	return slices.Contains(protocols, "h2") || slices.Contains(protocols, "h2c")
}

// Report is the result of linting one configuration.
type Report struct {
	Kind    string `json:"kind"`
	Version string `json:"version"` // "" when unknown
	// Files names every file that was read, in the order of reading.
	Files     []string   `json:"files"`
	Listeners []Listener `json:"listeners"`
	Findings  []Finding  `json:"findings"`
	// Assumed holds whole sentences: "nginx 1.31.4 is assumed: give --version".
	Assumed []texts.Sentence `json:"assumed"`
	// Then is the next step when no finding asks for a change; without it, it's the usual one.
	Then facts.Text `json:"-"`
	// Root is the directory of the configuration, which --fix doesn't leave.
	Root string `json:"-"`
	// Data is the content of Files as it was linted. Real names the file behind a link that leads
	// nowhere on this machine. Generated says of a file which program writes it, and so overwrites a change.
	Data      map[string][]byte     `json:"-"`
	Real      map[string]string     `json:"-"`
	Generated map[string]facts.Text `json:"-"`
	// Order lists rule ids, the most urgent first; when it is nil, the order of the files is good
	// enough.
	Order []string `json:"-"`
	// Apply is the command line that puts a change into effect, "" when there is none to name.
	Apply string `json:"-"`
}

// NewReport is a report without findings. Its lists are empty and not nil, as JSON shows them.
func NewReport(kind string, files []File) Report {
	r := Report{Kind: kind, Files: []string{}, Listeners: []Listener{}, Findings: []Finding{}, Assumed: []texts.Sentence{}}
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
	}
	return r
}

// Stated is a version that the files state or that is assumed, with the sentence that says so.
type Stated struct {
	Version string
	Why     facts.Text
	Assumed bool
}

// AssumedVersion is the version whose defaults apply when nobody states one.
func AssumedVersion(v, key string) Stated { return Stated{v, facts.T(key, v), true} }

// For is the version to lint for: the user's, else the first that is stated.
func (r *Report) For(o Options, all ...Stated) (v versions.Version) {
	for _, s := range append([]Stated{{Version: o.Version}}, all...) {
		if v, err := versions.Parse(s.Version); err == nil {
			if !s.Assumed {
				r.Version = v.String()
			}
			if !s.Why.IsZero() {
				r.Assume(s.Why)
			}
			return v
		}
	}
	return v
}

// Assume adds a sentence to Assumed.
func (r *Report) Assume(sentence facts.Text) { r.Assumed = append(r.Assumed, texts.Sentence(sentence)) }

// Assumptions are the sentences of Assumed in English, a line for each.
func (r Report) Assumptions() string {
	var out []string
	for _, s := range r.Assumed {
		out = append(out, s.String())
	}
	return strings.Join(out, "\n")
}

// Sort orders the findings by file, in the order of Files, then by line, and removes duplicates.
func (r *Report) Sort() {
	at := map[string]int{}
	for i, f := range r.Files {
		at[f] = i
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(at[a.File], at[b.File]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Why.String(), b.Why.String()))
	})
	r.Findings = slices.CompactFunc(r.Findings, func(a, b Finding) bool {
		return a.Place() == b.Place() && a.Rule == b.Rule && a.Column == b.Column && a.Why.String() == b.Why.String() && a.Fix == b.Fix
	})
}

// SchemaVersion increases when a field of the JSON is renamed or removed.
const SchemaVersion = 1

type document struct {
	SchemaVersion int `json:"schema_version"`
	Report
	Next texts.Sentence `json:"next"`
}

// JSON writes a report as one document.
func JSON(w io.Writer, name string, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document{SchemaVersion, r, texts.Sentence(next(name, r))})
}

// Place is a line of a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Place is where the finding is.
func (f Finding) Place() Place { return Place{f.File, f.Line} }

// EditKind says what an Edit does with its place.
type EditKind int

// Replace puts Text in the place of the bytes, Delete removes them with the line when nothing else is
// on it. Before, After and Inside add Text as a line of its own: before the bytes, behind them, or
// deeper, behind a `{`.
const (
	Replace EditKind = iota
	Delete
	Before
	After
	Inside
)

// Edit changes the bytes From to To of a file. Of several edits with the same Key, which names what is
// set and where, the first is enough.
type Edit struct {
	Kind     EditKind
	File     string
	From, To int
	Text     string
	Key      string
	Block    string // the name of the block that the edit is in: "upstream", "http"; "" at the top
}

// Weigh is the severity of a limit of n requests on a connection for a client that keeps streams
// requests in flight. At each renewal every waiting request may dial a connection of its own, as Go's
// net/http does, so the share of requests that pay for a handshake is streams ÷ n: a share of 1 is an
// error, more than 1 in 100 a warning.
func Weigh(n int64, streams int) Severity {
	switch s := int64(streams); {
	case n <= s:
		return Error
	case n < 100*s:
		return Warning
	}
	return Note
}

// ShortIdle is the shortest idle timeout that no rule reports. A client that sends a batch of requests every
// minute keeps its connections with it; nginx's own default is 75 s, Go's and Traefik's 180 s, Envoy's one hour.
const ShortIdle = time.Minute

// momentary is what a client pauses between two polls or two pages. A connection that ends after less is opened
// again for each of them, and a limit of 1000 requests, met by 100 in flight, for one request in ten.
const momentary = 5 * time.Second

// Momentary reports whether connections that end after this time cost more than a limit on requests does.
func Momentary(d time.Duration) bool { return d < momentary }

// WeighIdle sets the severity of a finding on an idle timeout shorter than ShortIdle: below 10 s the pauses of
// ordinary clients end the connection.
func (f *Finding) WeighIdle(d time.Duration) { f.weigh(d, 10*time.Second) }

func (f *Finding) weigh(d, warning time.Duration) {
	f.Severity, f.Ahead = Note, Momentary(d)
	if d < warning {
		f.Severity = Warning
	}
}

// ShortAge is the shortest age that no rule reports: twelve renewals an hour are more than the default limit on
// requests usually causes.
const ShortAge = 5 * time.Minute

// WeighAge sets the severity of a finding on an age shorter than ShortAge, at which a server ends connections in
// two stages: no request is lost, and each client dials again that often.
func (f *Finding) WeighAge(d time.Duration) { f.weigh(d, time.Minute) }

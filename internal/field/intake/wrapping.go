package intake

import (
	"bytes"
	"regexp"

	"github.com/tidwall/gjson"
)

// Wrapping is what a container's runtime or a collector puts around a program's line: a prefix, or a JSON object.
type Wrapping struct {
	Name   string
	Inside string         // the text of a catalogue that names what is inside: "%s in CRI's log"
	prefix *regexp.Regexp // its groups are host and time
	inner  string         // the key of the line within the object; times and hosts likewise, the most exact first
	hosts  []string
	time   string
}

// Line is a program's line, with the name of the machine or the pod that wrote it and the time, as far as the wrapping
// has them.
type Line struct{ Text, Host, Time []byte }

const (
	stamp = `(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,\d]*(?:Z|[-+]\d\d:?\d\d)?)[ \t]`
	tag   = `[^\s"{\[|:]{1,64}(?:\[\d+\])?: ` // a program's name, perhaps with its process
)

// Wrappings are tried in this order, the strictest first.
var Wrappings = []Wrapping{
	{Inside: "logs.in-cri", prefix: begins(stamp + `std(?:out|err) F `)}, // of Kubernetes (kubernetes.io, logging architecture)
	{Inside: "logs.in-kubectl-prefix", prefix: begins(`\[pod/(?P<host>[^/\]]*)[^\]]*\] `)},
	{Inside: "logs.in-compose", prefix: begins(`(?P<host>[^ |]+) *\| `)},
	{Inside: "logs.in-syslog", // RFC 5424
		prefix: begins(`<\d+>1 ` + stamp + `(?P<host>\S+) \S+ \S+ \S+ - `)},
	{Inside: "logs.in-syslog", // RFC 3164, journalctl
		prefix: begins(`(?:<\d+>)?(?:` + stamp + `|[A-Z][a-z]{2} [ \d]\d [\d:]{8} )(?:(?P<host>\S+) )?` + tag)},
	{Inside: "logs.in-kubectl-timestamps", prefix: begins(stamp)},
	{Inside: "logs.in-tag", prefix: begins(tag)},
	{Inside: "logs.in-docker", inner: "log", hosts: []string{"kubernetes.pod_name", "kubernetes.host"}, time: "time"},
	{Inside: "logs.in-journald", inner: "MESSAGE", hosts: []string{"_HOSTNAME"}, time: "__REALTIME_TIMESTAMP"},
	{Inside: "logs.in-message", inner: "message", time: "@timestamp",
		hosts: []string{"kubernetes.pod.name", "logStreamName", "logStream", "host.name", "hostname"}},
}

func begins(with string) *regexp.Regexp { return regexp.MustCompile("^(?:" + with + ")") }

// IsJSON reports whether the line stands in an object.
func (w *Wrapping) IsJSON() bool { return w.inner != "" }

// Unwrap takes the wrapping off; false if the line has none.
func (w *Wrapping) Unwrap(line []byte) (in Line, ok bool) {
	if w.inner != "" {
		return w.ofObject(line)
	}
	at := w.prefix.FindSubmatchIndex(line)
	if at == nil {
		return Line{}, false
	}
	for i, name := range w.prefix.SubexpNames() {
		switch {
		case i == 0 || at[2*i] < 0:
		case name == "host":
			in.Host = line[at[2*i]:at[2*i+1]]
		default:
			in.Time = line[at[2*i]:at[2*i+1]]
		}
	}
	in.Text = line[at[1]:]
	return in, true
}

func (w *Wrapping) ofObject(line []byte) (in Line, ok bool) {
	if len(line) == 0 || line[0] != '{' {
		return Line{}, false
	}
	text := gjson.GetBytes(line, w.inner)
	if text.Type != gjson.String || !gjson.ValidBytes(line) {
		return Line{}, false
	}
	in.Text = bytes.TrimRight([]byte(text.Str), "\r\n")
	in.Time = []byte(gjson.GetBytes(line, gjson.Escape(w.time)).String())
	for _, host := range w.hosts {
		if name := gjson.GetBytes(line, host); name.Type == gjson.String {
			in.Host = []byte(name.Str)
			break
		}
	}
	return in, len(in.Text) > 0
}

// All returns what is inside of those lines that have the wrapping.
func (w *Wrapping) All(lines [][]byte) (inner [][]byte) {
	for _, l := range lines {
		if in, ok := w.Unwrap(l); ok && len(in.Text) > 0 {
			inner = append(inner, bytes.Clone(in.Text))
		}
	}
	return inner
}

package ingressconf

import (
	"bytes"
	"fmt"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	format "h2lab/internal/base/text"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

func (j *judge) all() {
	j.values()
	h2 := j.on("use-http2")
	limit, limitFrom, limitAt := j.number("keep-alive-requests")
	idle, idleFrom, idleAt := j.number("keep-alive")
	if h2 && j.beforeMerge() {
		limit, limitFrom, limitAt, idle, idleFrom, idleAt = j.own()
	}
	streams, streamsFrom, streamsAt := j.number("http2-max-concurrent-streams")
	l := lint.Listener{
		File:      j.file.Name,
		Line:      j.node.Line,
		Name:      j.name,
		Address:   ":443",
		TLS:       true,
		Protocols: []string{"http/1.1"},
		Default:   true,
		Limit:     lint.Requests(limit, limitFrom),
		Idle:      lint.Seconds(float64(idle), idleFrom),
		Age:       lint.Seconds(age.Seconds(), "nginx's default"),
		Streams:   lint.UnknownLimit("HTTP/1.1 has one at a time"),
		Upstream:  lint.Leads(j.upstream()),
	}
	if h2 {
		l.Protocols = append(l.Protocols, "h2")
		l.Streams = lint.Requests(streams, streamsFrom)
	} else {
		j.find(noH2, j.node.Field("use-http2"), "true", "Clients speak HTTP/1.1.")
	}
	j.report.Listeners = append(j.report.Listeners, l)
	j.keepAlive(limit, limitAt, idle, idleAt, h2)
	if h2 && streams < int64(j.options.Streams()) {
		j.find(streamsLow, streamsAt, "128", "%d streams at once, for clients with %d requests in flight.", streams,
			j.options.Streams())
	}
	j.pools()
	j.snippets()
}

func (j *judge) upstream() string {
	n, _, _ := j.number("upstream-keepalive-connections")
	requests, _, _ := j.number("upstream-keepalive-requests")
	idle, _, _ := j.number("upstream-keepalive-timeout")
	return fmt.Sprintf("pods: HTTP/1.1, %d idle connections a worker, %d requests a connection, %ds idle", n,
		requests, idle)
}

// written is a key and its value in the syntax of the file.
func (j *judge) written(key, value string) string {
	if bytes.HasPrefix(bytes.TrimSpace(j.file.Data), []byte("{")) {
		return strconv.Quote(key) + ": " + strconv.Quote(value)
	}
	return key + ": " + strconv.Quote(value)
}

// add sets a finding's Found and Fix so that a key is added below the first one. Where there is none on
// a line of its own, the Fix is what to paste.
func (j *judge) add(f *lint.Finding, text string) {
	f.Fix = text
	if j.put != "" {
		f.Fix = fmt.Sprintf(j.put, "controller: {config: {"+text+"}}")
		return
	}
	for _, key := range j.node.Fields {
		line := j.file.Line(key.Line)
		if key.Value.Kind == lint.Scalar && key.Value.Line == key.Line && !key.Value.Literal &&
			strings.HasPrefix(line, key.Key+":") && strings.Contains(line, key.Value.Text) { // no text of several lines
			f.Line, f.Found, f.Fix = key.Line, line, line+"\n"+text
			return
		}
	}
}

func (j *judge) keepAlive(limit int64, limitAt *lint.Field, idle int64, idleAt *lint.Field, h2 bool) {
	k := j.options.Streams()
	fix := strconv.Itoa(cure.Requests(int(limit)))
	before := len(j.report.Findings)
	defer func() {
		for i := before; i < len(j.report.Findings) && !h2; i++ {
			j.report.Findings[i].Severity = lint.Note // HTTP/1.1 replaces one connection for one request
		}
	}()
	switch severity := lint.Weigh(limit, k); {
	case limit == 0:
		j.find(keepAliveOff, limitAt, fix, "keep-alive-requests is 0.")
	case severity != lint.Note:
		f := j.find(limitLow, limitAt, fix, "After %d requests nginx ends the connection. Of a client's %d in "+
			"flight those above the id in the GOAWAY are dropped, and a client like Go's net/http dials up "+
			"to %d times.", limit, k, k)
		f.Severity = severity
		switch other := j.misspelt("keep-alive-requests"); {
		case h2 && j.beforeMerge():
			f.Add(facts.Verbatim("nginx 1.19.7 and newer take keep-alive-requests for it: update the controller."))
		case limitAt == nil && other != nil:
			f.Add(facts.Verbatim(fmt.Sprintf("%s in line %d isn't read.", other.Key, other.Line))) // its own finding mends both
		case limitAt == nil:
			j.add(f, j.written("keep-alive-requests", fix))
		}
	}
	switch {
	case idle == 0:
		j.find(keepAliveOff, idleAt, "75", "keep-alive is 0.")
	case idle < int64(lint.ShortIdle.Seconds()):
		j.find(idleShort, idleAt, "75", "After %d s without a request the connection ends.",
			idle).WeighIdle(time.Duration(idle) * time.Second)
	}
}

func (j *judge) pools() {
	if n, _, f := j.number("max-worker-connections"); f != nil && n > 0 && n < 10*int64(j.options.Streams()) {
		j.find(workersLow, f, "16384", "%d connections a worker, clients' and pods' together; one client's renewal "+
			"may bring %d at once.", n, j.options.Streams())
	}
	if n, _, f := j.number("upstream-keepalive-connections"); n == 0 {
		j.find(upstreamOff, f, "320", "upstream-keepalive-connections is 0.")
	}
}

// values checks every key: its name, its type, and whether it is a number.
func (j *judge) values() {
	for i := range j.node.Fields {
		f := &j.node.Fields[i]
		j.key(f)
		if f.Key == "http2-max-requests" && f.Value.Text != "0" && !j.beforeMerge() {
			j.find(deprecated, f, "", "http2-max-requests %s has no effect.", f.Value.Text).Found = j.file.Line(f.Line)
		}
		if f.Value.Kind != lint.Scalar && j.typed {
			j.find(notString, f, "", "%s is no text.", f.Key).Found = j.file.Line(f.Line)
			continue
		}
		if j.typed && !f.Value.Quoted {
			j.find(notString, f, f.Value.Text, "%s: %s is no string to YAML, and a ConfigMap takes nothing else.",
				f.Key, f.Value.Text)
		}
		j.usable(f)
	}
}

// key checks that the controller reads a key.
func (j *judge) key(f *lint.Field) {
	switch k := ""; {
	case slices.Contains(known, f.Key):
	case slices.Contains(gone, f.Key):
		if j.version.AtLeast(1, 0) {
			found := j.find(unheard, f, "", "Earlier controllers read %s; this one doesn't.", f.Key)
			found.Severity, found.Found = lint.Note, j.file.Line(f.Line)
		}
	default:
		found := j.find(unheard, f, "", "The controller has no key %s.", format.ClipLine(f.Key, lint.LongestWord))
		found.Found = j.file.Line(f.Line)
		if k = meant(f.Key); k == "" {
			return
		}
		if j.node.Field(k) != nil {
			found.Add(facts.Verbatim(fmt.Sprintf("Its name is %s, which is set as well, and counts.", k)))
			return
		}
		found.Add(facts.Verbatim(fmt.Sprintf("%s is nearest to it.", k)))
		found.Fix = j.written(k, j.raised(k, f.Value.Text))
	}
}

// misspelt is the field that sets a key by another spelling of its name.
func (j *judge) misspelt(key string) *lint.Field {
	for i := range j.node.Fields {
		if f := &j.node.Fields[i]; f.Key != key && meant(f.Key) == key && !slices.Contains(known, f.Key) {
			return f
		}
	}
	return nil
}

// raised is a value to write for a key: a limit that would be a finding itself is raised.
func (j *judge) raised(key, value string) string {
	n, err := strconv.ParseInt(value, 10, 32)
	if key != "keep-alive-requests" || err != nil || lint.Weigh(n, j.options.Streams()) == lint.Note {
		return value
	}
	return strconv.Itoa(cure.Requests(int(n)))
}

// numeric are the keys whose value must be a whole number.
var numeric = []string{
	"keep-alive", "keep-alive-requests", "http2-max-concurrent-streams", "http2-max-requests", "max-worker-connections",
	"upstream-keepalive-connections", "upstream-keepalive-requests", "upstream-keepalive-timeout",
}

func (j *judge) usable(f *lint.Field) {
	if !slices.Contains(numeric, f.Key) {
		return
	}
	n, err := strconv.ParseInt(strings.TrimSpace(f.Value.Text), 10, 32)
	if err != nil || n < 0 {
		j.find(notNumber, f, strconv.FormatInt(keys[f.Key], 10), "%s is %q, which is no whole number.", f.Key,
			f.Value.Text)
	}
}

var keepaliveDirective = regexp.MustCompile(
	`(?m)(?:^|[;{\s])(keepalive_requests|keepalive_timeout|keepalive_time)\s+[^;]*;`)

// snippets checks the ConfigMap's snippets for nginx's own directives.
func (j *judge) snippets() {
	for _, key := range []string{"http-snippet", "server-snippet", "location-snippet"} {
		f := j.node.Field(key)
		if f == nil {
			continue
		}
		for _, m := range keepaliveDirective.FindAllStringSubmatch(f.Value.Text, -1) {
			found := j.find(snippet, f, "", "")
			why := fmt.Sprintf("%s sets %s: ", key, m[1])
			switch {
			case key == "http-snippet" && m[1] != "keepalive_time":
				found.Severity = lint.Error
				why += "it stands in http{} already, and nginx refuses to have it twice."
			case key == "location-snippet":
				why += "nginx takes it from the server for HTTP/2, so here it has no effect."
			default:
				found.Severity = lint.Note
				why += "it wins over the ConfigMap's value, which is the one that is listed here."
			}
			found.Why = texts.Sentence(facts.Verbatim(why))
		}
	}
}

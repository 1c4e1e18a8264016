package ingressconf

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	format "h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

func (j *judge) all() {
	j.values()
	h2 := j.on("use-http2")
	limit, limitFrom, limitAt := j.number("keep-alive-requests")
	idle, idleFrom, idleAt := j.number("keep-alive")
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
		Age:       lint.Seconds(age.Seconds(), facts.T("ingress.nginx-default")),
		Streams:   lint.UnknownLimit(facts.T("ingress.one-at-a-time")),
		Upstream:  j.upstream(),
	}
	if h2 {
		l.Protocols = append(l.Protocols, "h2")
		l.Streams = lint.Requests(streams, streamsFrom)
	} else {
		j.find("ingress-nginx/no-h2", j.node.Field("use-http2"), "true", facts.T("ingress.http1"))
	}
	j.report.Listeners = append(j.report.Listeners, l)
	j.keepAlive(limit, limitAt, idle, idleAt, h2)
	if h2 && streams < int64(j.streams) {
		j.find("ingress-nginx/streams-low", streamsAt, "128", facts.T("lint.streams-low", int(streams), j.streams))
	}
	j.pools()
	j.snippets()
}

func (j *judge) upstream() texts.Sentence {
	n, _, _ := j.number("upstream-keepalive-connections")
	requests, _, _ := j.number("upstream-keepalive-requests")
	idle, _, _ := j.number("upstream-keepalive-timeout")
	return texts.Sentence(facts.T("ingress.pods", int(n), int(requests), int(idle)))
}

// written is a key and its value in the syntax of the file.
func (j *judge) written(key, value string) string {
	if bytes.HasPrefix(bytes.TrimSpace(j.file.Data), []byte("{")) {
		return strconv.Quote(key) + ": " + strconv.Quote(value)
	}
	return key + ": " + strconv.Quote(value)
}

// add makes the finding's fix a key that is added below another one. Where there is none on a line of its own, the fix
// is what to paste.
func (j *judge) add(f *lint.Finding, key string) {
	if j.put != "" {
		f.Fix = fmt.Sprintf(j.put, "controller: {config: {"+key+"}}")
		return
	}
	f.Beside(j.file, j.node, key)
}

func (j *judge) keepAlive(limit int64, limitAt *lint.Field, idle int64, idleAt *lint.Field, h2 bool) {
	k := j.streams
	fix := strconv.Itoa(cure.Requests(int(limit)))
	before := len(j.report.Findings)
	defer func() {
		for i := before; i < len(j.report.Findings) && !h2; i++ {
			j.report.Findings[i].Severity = lint.Note // HTTP/1.1 replaces one connection for one request
		}
	}()
	switch severity := lint.Weigh(limit, k); {
	case limit == 0:
		j.find("ingress-nginx/keep-alive-off", limitAt, fix, facts.T("ingress.is-0", "keep-alive-requests"))
	case severity != lint.Note:
		f := j.find("ingress-nginx/limit-low", limitAt, fix, facts.T("ingress.limit", int(limit), k, k))
		f.Severity = severity
		switch other := j.misspelt("keep-alive-requests"); {
		case limitAt == nil && other != nil:
			f.Add(facts.T("ingress.not-read", other.Key, other.Line)) // its own finding mends both
		case limitAt == nil:
			j.add(f, j.written("keep-alive-requests", fix))
		}
	}
	switch {
	case idle == 0:
		j.find("ingress-nginx/keep-alive-off", idleAt, "75", facts.T("ingress.is-0", "keep-alive"))
	case idle < int64(lint.ShortIdle.Seconds()):
		j.find("ingress-nginx/idle-short", idleAt, "75", facts.T("lint.idle-ends", fmt.Sprintf("%d s", idle))).
			WeighIdle(time.Duration(idle) * time.Second)
	}
}

func (j *judge) pools() {
	if n, _, f := j.number("max-worker-connections"); f != nil && n > 0 && n < 10*int64(j.streams) {
		j.find("ingress-nginx/worker-connections-low", f, "16384", facts.T("ingress.workers", int(n), j.streams))
	}
	if n, _, f := j.number("upstream-keepalive-connections"); n == 0 {
		j.find("ingress-nginx/upstream-keepalive-off", f, "320", facts.T("ingress.is-0", "upstream-keepalive-connections"))
	}
}

// values checks every key: its name, its type, and whether it is a number.
func (j *judge) values() {
	for i := range j.node.Fields {
		f := &j.node.Fields[i]
		j.key(f)
		if f.Key == "http2-max-requests" && f.Value.Text != "0" {
			j.find("ingress-nginx/deprecated-key", f, "", facts.T("ingress.no-effect", f.Value.Text)).Found = j.file.Line(f.Line)
		}
		if f.Value.Kind != lint.Scalar && j.typed {
			j.find("ingress-nginx/not-a-string", f, "", facts.T("ingress.no-text", f.Key)).Found = j.file.Line(f.Line)
			continue
		}
		if j.typed && !f.Value.Quoted {
			j.find("ingress-nginx/not-a-string", f, f.Value.Text, facts.T("ingress.no-string", f.Key, f.Value.Text))
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
			found := j.find("ingress-nginx/unknown-key", f, "", facts.T("ingress.gone", f.Key))
			found.Severity, found.Found = lint.Note, j.file.Line(f.Line)
		}
	default:
		found := j.find("ingress-nginx/unknown-key", f, "", facts.T("ingress.no-key", format.ClipLine(f.Key, lint.LongestWord)))
		found.Found = j.file.Line(f.Line)
		if k = meant(f.Key); k == "" {
			return
		}
		if j.node.Field(k) != nil {
			found.Add(facts.T("ingress.set-as-well", k))
			return
		}
		found.Add(facts.T("ingress.nearest", k))
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
	if key != "keep-alive-requests" || err != nil || lint.Weigh(n, j.streams) == lint.Note {
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
		j.find("ingress-nginx/not-a-number", f, strconv.FormatInt(keys[f.Key], 10),
			facts.T("ingress.no-whole-number", f.Key, strconv.Quote(f.Value.Text)))
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
			switch {
			case key == "http-snippet" && m[1] != "keepalive_time":
				j.find("ingress-nginx/snippet", f, "", facts.T("ingress.twice", key, m[1])).Severity = lint.Error
			case key == "location-snippet":
				j.find("ingress-nginx/snippet", f, "", facts.T("ingress.in-location", key, m[1]))
			default:
				j.find("ingress-nginx/snippet", f, "", facts.T("ingress.wins", key, m[1])).Severity = lint.Note
			}
		}
	}
}
